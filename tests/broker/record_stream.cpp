#include "record_stream.h"

#include <cstddef>

namespace yeoul {
namespace {

template <class Int>
bool read_number(std::istream& in, Int& number) {
  unsigned char bytes[sizeof number];
  if (!in.read(reinterpret_cast<char*>(bytes), sizeof bytes)) return false;
  uint64_t value = 0;
  for (const unsigned char byte : bytes) value = value << 8 | byte;
  number = static_cast<Int>(value);
  return true;
}

std::optional<std::string> read_bytes(std::istream& in) {
  int32_t size = -1;
  if (!read_number(in, size) || size < 0) return std::nullopt;
  std::string bytes(static_cast<size_t>(size), '\0');
  in.read(bytes.data(), size);
  return bytes;
}

template <class Int>
void write_number(std::ostream& out, Int number) {
  char bytes[sizeof number];
  for (size_t i = 0; i < sizeof number; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint64_t>(number) >> (8 * (sizeof number - 1 - i)));
  }
  out.write(bytes, sizeof bytes);
}

void write_bytes(std::ostream& out, std::string_view bytes) {
  write_number(out, bytes.data() == nullptr ? -1 : static_cast<int32_t>(bytes.size()));
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

bool read_record(std::istream& in, StreamedRecord& record) {
  if (!read_number(in, record.timestamp_ms)) return false;
  record.key = read_bytes(in);
  record.value = read_bytes(in);
  record.headers.clear();
  int32_t num_headers = 0;
  read_number(in, num_headers);
  for (int32_t i = 0; i < num_headers; ++i) {
    std::string name = read_bytes(in).value_or("");
    record.headers.emplace_back(std::move(name), read_bytes(in));
  }
  return true;
}

void write_record(std::ostream& out, int64_t timestamp_ms, std::string_view key, std::string_view value,
                  const std::vector<std::pair<std::string_view, std::string_view>>& headers) {
  write_number(out, timestamp_ms);
  write_bytes(out, key);
  write_bytes(out, value);
  write_number(out, static_cast<int32_t>(headers.size()));
  for (const auto& [name, content] : headers) {
    write_bytes(out, name);
    write_bytes(out, content);
  }
}

}  // namespace yeoul
