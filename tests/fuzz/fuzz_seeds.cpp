// What fuzzers begin with: messages of every API in every version, records of every format and compression.
// usage: fuzz_seeds FOLDER
// Fills FOLDER/kafka_responses_fuzz and FOLDER/kafka_records_fuzz, and fails if a seed does not reach what it is for.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/message_samples_test.h"
#include "yeoul/kafka/protocol/record_batch.h"
#include "yeoul/kafka/protocol/record_batch_builder.h"
#include "yeoul/kafka/protocol/sample_filler_test.h"

namespace {

using namespace yeoul;

void write(const std::filesystem::path& folder, const std::string& name, std::string_view bytes) {
  std::ofstream(folder / name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void write_messages(const std::filesystem::path& folder) {
  int num_messages = 0;
  for (size_t number = 0; number < all_apis().size(); ++number) {
    const Api& api = all_apis()[number];
    for (int16_t version = api.versions.first; version <= api.versions.last; ++version) {
      for (const bool request : {false, true}) {
        for (const SampleKind kind : {SampleKind::kFull, SampleKind::kSparse}) {
          const SampleMessage sample(api, request, version, kind);
          std::string body;
          encode_struct(sample.table(), sample.object(), api.wire_version(version), body);
          decode_struct(sample.table(), make_message(api, request).get(), api.wire_version(version), body);
          const std::string head{static_cast<char>(number | (request ? 0x80 : 0)),
                                 static_cast<char>(version - api.versions.first)};
          write(folder,
                std::string(sample.table().name) + std::to_string(version) +
                    (kind == SampleKind::kFull ? "-full" : "-sparse"),
                head + body);
          ++num_messages;
        }
      }
    }
  }
  std::cout << num_messages << " messages of " << all_apis().size() << " APIs\n";
}

/// How many records are in them.
size_t read(std::string_view bytes, std::map<Compression, size_t>& read_by_compression) {
  BufferPool pool(0);
  ByteArena arena(pool);
  RecordRun run;
  RecordBatchIterator batches(bytes);
  RecordBatchInfo info;
  while (batches.next(info)) {
    const size_t before = run.size();
    BatchDecoder({}).decode(info, 0, arena, run);
    read_by_compression[info.compression] += run.size() - before;
  }
  return run.size();
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string own_batch(Compression compression) {
  RecordBatchBuilder builder(compression);
  const std::string text = "what repeats itself compresses, what repeats itself compresses";
  builder.append(1'700'000'000'000, "key", text,
                 std::vector<std::pair<std::string_view, std::string_view>>{{"name", "value"}, {"null", {}}});
  for (int i = 0; i < 20; ++i) builder.append(1'700'000'000'000 + i, {}, text.substr(static_cast<size_t>(i)));
  builder.append(1'700'000'000'000, "gone", {});
  std::string batch;
  builder.finish({7, 1, 0, true}, batch);
  return batch;
}

void write_records(const std::filesystem::path& folder) {
  std::map<Compression, size_t> read_by_compression;
  const auto take = [&](const std::string& name, const std::string& bytes) {
    if (read(bytes, read_by_compression) == 0) throw internal_error(9000, "nothing can be read of the seed '{}'", name);
    write(folder, name, bytes);
  };
  for (const RecordSample& sample : record_samples()) {
    take(fmt::format("magic-{}-{}{}", sample.magic, sample.compression, sample.log_append_time ? "-appended" : ""),
         from_hex(sample.hex));
  }
  for (const std::string_view name : {"none", "gzip", "snappy", "lz4", "zstd"}) {
    take(fmt::format("own-{}", name), own_batch(find_compression(name).value()) + own_batch(Compression::kNone));
    if (read_by_compression[find_compression(name).value()] == 0) {
      throw internal_error(9000, "no seed has records compressed by {}", name);
    }
  }
  std::cout << "records of " << read_by_compression.size() << " compressions\n";
}

}  // namespace

int main(int, char** argv) {
  try {
    const std::filesystem::path folder(argv[1]);
    for (const char* name : {"kafka_responses_fuzz", "kafka_records_fuzz"}) {
      std::filesystem::create_directories(folder / name);
    }
    write_messages(folder / "kafka_responses_fuzz");
    write_records(folder / "kafka_records_fuzz");
    return 0;
  } catch (const Error& error) {
    std::cerr << "fuzz_seeds: " << error.to_string() << '\n';
    return 1;
  }
}
