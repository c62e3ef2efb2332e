// CPU nanoseconds a record of the JSON format: decoding 2 and 4 of 4 fields of a 95-byte pageview, and encoding it.

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "yeoul/formats/json/json_format.h"

namespace {

using namespace yeoul;

constexpr size_t kRecords = 1024;
constexpr int kRounds = 2000;

struct Records {
  std::string bytes;
  std::vector<Message> messages;
};

Records make_records() {
  Records records;
  std::vector<size_t> starts;
  for (size_t i = 0; i < kRecords; ++i) {
    starts.push_back(records.bytes.size());
    records.bytes +=
        fmt::format(R"({{"user_id":{},"user_region":"region_{:02}","page":"/products/{:06}","viewtime":{}}})",
                    100'000 + i * 7919 % 900'000, i % 10, i * 31 % 1'000'000, 1'704'067'200'000 + i);
  }
  starts.push_back(records.bytes.size());
  records.bytes.append(Buffer::kPadding, '\0');
  for (size_t i = 0; i < kRecords; ++i) {
    records.messages.push_back({records.bytes.data() + starts[i], static_cast<uint32_t>(starts[i + 1] - starts[i])});
  }
  return records;
}

const std::vector<RowField> kFields = {{"user_id", LogicalType::bigint()},
                                       {"user_region", LogicalType::string()},
                                       {"page", LogicalType::string()},
                                       {"viewtime", LogicalType::bigint()}};

/// CPU time of this process: other programs on the machine do not count.
int64_t cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

/// Best of five, each of kRounds batches.
template <class Body>
double nanos_per_record(const Body& body) {
  double best = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const int64_t start = cpu_ns();
    for (int round = 0; round < kRounds; ++round) body();
    const int64_t taken = cpu_ns() - start;
    best = std::min(best, static_cast<double>(taken) / (kRounds * static_cast<double>(kRecords)));
  }
  return best;
}

std::vector<ColumnPtr> decode(Decoder& decoder, const Schema& wanted, const Records& records) {
  DecodedRows out;
  for (const RowField& field : wanted.fields()) {
    out.columns.emplace_back(field.type);
    out.columns.back().reserve(kRecords);
  }
  decoder.decode(records.messages, out);
  YEOUL_CHECK(out.num_rows() == kRecords, "{} rows", out.num_rows());
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : out.columns) columns.push_back(builder.finish());
  return columns;
}

}  // namespace

int main() {
  const Records records = make_records();
  fmt::print("record: {} bytes\n", records.messages[0].size);
  const Schema all(kFields);
  for (const Schema& wanted : {Schema({kFields[0], kFields[1]}), Schema({kFields[1], kFields[3]}), all}) {
    const auto decoder = make_json_decoder({}, wanted);
    fmt::print("decode {}: {:.1f} ns\n", wanted.to_string(),
               nanos_per_record([&] { decode(*decoder, wanted, records); }));
  }
  const RowBatch batch(decode(*make_json_decoder({}, all), all, records), kRecords);
  const auto encoder = make_json_encoder({}, all);
  const int columns[] = {0, 1, 2, 3};
  EncodedRows encoded;
  fmt::print("encode 4 fields: {:.1f} ns\n", nanos_per_record([&] {
               encoded.clear();
               encoder->encode(batch, columns, encoded);
             }));
  return 0;
}
