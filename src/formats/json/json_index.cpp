#include "yeoul/formats/json/json_index.h"

#include <simdjson.h>

#include <algorithm>

#include "yeoul/common/error.h"

namespace yeoul {

struct JsonIndex::Stage1 {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
  uint32_t capacity = 0;

  void ensure(uint32_t size) {
    if (size <= capacity && implementation) return;
    const uint32_t wanted = std::max<uint32_t>(4096, size + size / 2);
    // Depth counts only for stage 2, which is not used.
    const auto code =
        simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, implementation);
    YEOUL_CHECK(code == simdjson::SUCCESS, "simdjson: {}", simdjson::error_message(code));
    capacity = wanted;
  }
};

JsonIndex::JsonIndex() : stage1_(std::make_unique<Stage1>()) {}
JsonIndex::~JsonIndex() = default;

bool JsonIndex::build(const char* data, uint32_t size) {
  stage1_->ensure(size);
  auto& stage1 = *stage1_->implementation;
  const auto code = stage1.stage1(reinterpret_cast<const uint8_t*>(data), size, simdjson::stage1_mode::regular);
  if (code != simdjson::SUCCESS) return build_bytewise(data, size);
  tokens_ = stage1.structural_indexes.get();
  num_tokens_ = stage1.n_structural_indexes;
  return true;
}

namespace {

bool is_structural(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

bool JsonIndex::build_bytewise(const char* data, uint32_t size) {
  own_tokens_.clear();
  int depth = 0;
  uint32_t at = 0;
  while (at < size) {
    const char c = data[at];
    if (is_blank(c)) {
      ++at;
      continue;
    }
    const uint32_t start = at;
    own_tokens_.push_back(start);
    if (c == '"') {
      for (++at; at < size && data[at] != '"'; ++at) {
        if (data[at] == '\\') ++at;
      }
      if (at >= size) return fail("a string is not closed", start);
      ++at;
    } else if (is_structural(c)) {
      depth += c == '{' || c == '[' ? 1 : (c == '}' || c == ']' ? -1 : 0);
      ++at;
    } else {
      while (at < size && !is_blank(data[at]) && !is_structural(data[at]) && data[at] != '"') ++at;
    }
    if (depth <= 0) break;
  }
  if (own_tokens_.empty()) return fail("it is empty", 0);
  const size_t invalid = first_invalid_utf8({data, at});
  if (invalid != at) return fail("it is not valid UTF-8", static_cast<int64_t>(invalid));
  num_tokens_ = own_tokens_.size();
  own_tokens_.push_back(at);
  tokens_ = own_tokens_.data();
  return true;
}

size_t first_invalid_utf8(std::string_view text) {
  size_t at = 0;
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  while (at < text.size()) {
    const uint8_t lead = byte(at);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const uint8_t next = byte(at + 1);
    int length = 0;
    uint8_t low = 0x80;
    uint8_t high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
      length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      length = 3;
      if (lead == 0xe0) low = 0xa0;   // overlong below
      if (lead == 0xed) high = 0x9f;  // surrogates above
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      length = 4;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    }
    if (length == 0 || next < low || next > high) return at;
    for (int i = 2; i < length; ++i) {
      if ((byte(at + i) & 0xc0) != 0x80) return at;
    }
    at += length;
  }
  return at;
}

}  // namespace yeoul
