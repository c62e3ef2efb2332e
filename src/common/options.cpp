#include "yeoul/common/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "yeoul/common/ascii.h"

namespace yeoul {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

struct Unit {
  std::string_view name;
  int64_t num;
  int64_t den = 1;
};

constexpr Unit kDurationUnits[] = {{"ns", 1, 1000000},
                                   {"nano", 1, 1000000},
                                   {"nanosecond", 1, 1000000},
                                   {"nanoseconds", 1, 1000000},
                                   {"us", 1, 1000},
                                   {"µs", 1, 1000},
                                   {"micro", 1, 1000},
                                   {"microsecond", 1, 1000},
                                   {"microseconds", 1, 1000},
                                   {"", 1},
                                   {"ms", 1},
                                   {"milli", 1},
                                   {"millisecond", 1},
                                   {"milliseconds", 1},
                                   {"s", 1000},
                                   {"sec", 1000},
                                   {"second", 1000},
                                   {"seconds", 1000},
                                   {"min", 60000},
                                   {"m", 60000},
                                   {"minute", 60000},
                                   {"minutes", 60000},
                                   {"h", 3600000},
                                   {"hour", 3600000},
                                   {"hours", 3600000},
                                   {"d", 86400000},
                                   {"day", 86400000},
                                   {"days", 86400000}};

constexpr Unit kMemoryUnits[] = {{"", 1},
                                 {"b", 1},
                                 {"bytes", 1},
                                 {"k", 1 << 10},
                                 {"kb", 1 << 10},
                                 {"kibibytes", 1 << 10},
                                 {"m", 1 << 20},
                                 {"mb", 1 << 20},
                                 {"mebibytes", 1 << 20},
                                 {"g", 1 << 30},
                                 {"gb", 1 << 30},
                                 {"gibibytes", 1 << 30},
                                 {"t", int64_t{1} << 40},
                                 {"tb", int64_t{1} << 40},
                                 {"tebibytes", int64_t{1} << 40}};

int64_t parse_with_unit(std::string_view key, std::string_view text, std::span<const Unit> units, std::string_view kind,
                        std::string_view example) {
  const std::string_view trimmed = trim(text);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  const std::string unit = lower_case(trim(trimmed.substr(static_cast<size_t>(end - trimmed.data()))));
  const auto it = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
  if (error != std::errc() || number < 0 || it == units.end() ||
      number > std::numeric_limits<int64_t>::max() / it->num) {
    throw user_error(2010, "option '{}': '{}' is not a {} (like {})", key, text, kind, example);
  }
  return number * it->num / it->den;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

void validate(const OptionSpec& spec, std::string_view key, std::string_view text) {
  switch (spec.type) {
    case OptionType::kInt: {
      const int64_t value = parse_integer(key, text);
      if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
        throw user_error(2010, "option '{}': {} does not fit an INT", key, text);
      }
      return;
    }
    case OptionType::kLong:
      parse_integer(key, text);
      return;
    case OptionType::kDouble:
      parse_double(key, text);
      return;
    case OptionType::kBoolean:
      parse_boolean(key, text);
      return;
    case OptionType::kDuration:
      parse_duration_ms(key, text);
      return;
    case OptionType::kMemorySize:
      parse_memory_bytes(key, text);
      return;
    case OptionType::kEnum: {
      std::string_view rest = spec.values;
      while (!rest.empty()) {
        const size_t bar = rest.find('|');
        if (lower_case(rest.substr(0, bar)) == lower_case(text)) return;
        rest = bar == std::string_view::npos ? "" : rest.substr(bar + 1);
      }
      throw user_error(2010, "option '{}': '{}' is not one of {}", key, text, spec.values);
    }
    case OptionType::kString:
    case OptionType::kStringList:
    case OptionType::kMap:
      return;
  }
}

}  // namespace

int64_t parse_duration_ms(std::string_view key, std::string_view text) {
  return parse_with_unit(key, text, kDurationUnits, "duration", "'200 ms', '5 s', '1 min'");
}

int64_t parse_memory_bytes(std::string_view key, std::string_view text) {
  return parse_with_unit(key, text, kMemoryUnits, "memory size", "'64 kb', '4 mb'");
}

bool parse_boolean(std::string_view key, std::string_view text) {
  const std::string value = lower_case(trim(text));
  if (value == "true") return true;
  if (value == "false") return false;
  throw user_error(2010, "option '{}': '{}' is neither true nor false", key, text);
}

int64_t parse_integer(std::string_view key, std::string_view text) {
  const std::string_view trimmed = trim(text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error != std::errc() || end != trimmed.data() + trimmed.size() || trimmed.empty()) {
    throw user_error(2010, "option '{}': '{}' is not a whole number", key, text);
  }
  return value;
}

double parse_double(std::string_view key, std::string_view text) {
  const std::string_view trimmed = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), value);
  if (error != std::errc() || end != trimmed.data() + trimmed.size()) {
    throw user_error(2010, "option '{}': '{}' is not a number", key, text);
  }
  return value;
}

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(3, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(lower_case(name), lower_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

Options::Options(std::string owner, std::span<const OptionSpec> specs, OptionMap values)
    : owner_(std::move(owner)), specs_(specs.begin(), specs.end()), values_(std::move(values)) {
  for (const auto& [key, text] : values_) {
    const auto it = std::find_if(specs_.begin(), specs_.end(), [&, &k = key](const OptionSpec& s) {
      return s.type == OptionType::kMap ? k.starts_with(s.key) && k.size() > s.key.size() : s.key == k;
    });
    if (it == specs_.end()) {
      std::vector<std::string> known;
      for (const OptionSpec& s : specs_) known.emplace_back(s.key);
      const std::string near = nearest_name(key, known);
      std::string all;
      for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
      throw user_error(2011, "{}: unknown option '{}'{}; known options: {}", owner_, key,
                       near.empty() ? "" : fmt::format("; did you mean '{}'?", near), all);
    }
    try {
      validate(*it, key, text);
    } catch (Error& error) {
      error.add_context(owner_);
      throw;
    }
  }
  for (const OptionSpec& s : specs_) {
    if (s.required && !has(s.key)) throw user_error(2012, "{}: option '{}' is required: {}", owner_, s.key, s.help);
  }
}

const OptionSpec& Options::spec(std::string_view key) const {
  for (const OptionSpec& s : specs_) {
    if (s.key == key) return s;
  }
  throw internal_error(9002, "{}: option '{}' has no specification", owner_, key);
}

std::optional<std::string> Options::optional_text(std::string_view key) const {
  if (const auto it = values_.find(key); it != values_.end()) return it->second;
  const OptionSpec& s = spec(key);
  if (s.fallback.empty()) return std::nullopt;
  return std::string(s.fallback);
}

std::string Options::text(std::string_view key) const {
  return optional_text(key).value_or("");
}
int64_t Options::integer(std::string_view key) const {
  return parse_integer(key, text(key));
}
double Options::real(std::string_view key) const {
  return parse_double(key, text(key));
}
bool Options::boolean(std::string_view key) const {
  return parse_boolean(key, text(key));
}
int64_t Options::duration_ms(std::string_view key) const {
  return parse_duration_ms(key, text(key));
}
int64_t Options::memory_bytes(std::string_view key) const {
  return parse_memory_bytes(key, text(key));
}

std::vector<std::string> Options::list(std::string_view key) const {
  std::vector<std::string> out;
  const std::string all = text(key);
  std::string_view rest = all;
  while (!rest.empty()) {
    const size_t end = rest.find(';');
    if (const std::string_view item = trim(rest.substr(0, end)); !item.empty()) out.emplace_back(item);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return out;
}

OptionMap Options::below(std::string_view prefix) const {
  OptionMap out;
  for (const auto& [key, text] : values_) {
    if (key.starts_with(prefix) && key.size() > prefix.size()) out.emplace(key.substr(prefix.size()), text);
  }
  return out;
}

}  // namespace yeoul
