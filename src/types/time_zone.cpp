#include "yeoul/types/time_zone.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/types/calendar.h"
#include "yeoul/types/posix_time_zone.h"
#include "yeoul/types/time_zone_data.h"

namespace yeoul {

namespace {

/// The Gregorian calendar, weekdays included, repeats after 400 years; so do the rules of a footer.
constexpr int64_t kCycleYears = 400;
constexpr int64_t kCycleMillis = 146'097 * kSecondsPerDay * 1000;

/// Reads big-endian numbers of a TZif block; its bytes were checked when the program was built.
class TzifReader {
 public:
  explicit TzifReader(std::string_view bytes) : bytes_(bytes) {}

  int64_t number(size_t size) {
    YEOUL_CHECK(size <= bytes_.size(), "the built-in time zones are damaged");
    uint64_t value = static_cast<uint8_t>(bytes_[0]) >= 0x80 ? ~uint64_t{0} : 0;
    for (size_t i = 0; i < size; ++i) value = value << 8 | static_cast<uint8_t>(bytes_[i]);
    bytes_.remove_prefix(size);
    return static_cast<int64_t>(value);
  }
  std::string_view cut(size_t size) {
    YEOUL_CHECK(size <= bytes_.size(), "the built-in time zones are damaged");
    const std::string_view head = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return head;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

/// "+9", "-09:30", "+0930", "+09:30:15" in seconds, up to 18 hours, as java.time.ZoneOffset.
std::optional<int32_t> parse_offset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool negative = text[0] == '-';
  text.remove_prefix(1);
  std::string digits;
  const bool colons = text.find(':') != std::string_view::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    if (colons && i % 3 == 2) {
      if (text[i] != ':') return std::nullopt;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits.push_back(text[i]);
    } else {
      return std::nullopt;
    }
  }
  if (digits.size() == 1 && !colons) digits.insert(0, 1, '0');
  if (digits.size() % 2 != 0 || digits.size() > 6 || (colons && text.size() % 3 != 2)) return std::nullopt;
  digits.append(6 - digits.size(), '0');
  const auto part = [&](size_t i) { return (digits[i] - '0') * 10 + (digits[i + 1] - '0'); };
  const int32_t seconds = part(0) * 3600 + part(2) * 60 + part(4);
  if (part(2) > 59 || part(4) > 59 || seconds > 18 * 3600) return std::nullopt;
  return negative ? -seconds : seconds;
}

/// The forms of java.time.ZoneId that name an offset: Z, ±h…, and UTC, GMT or UT alone or before ±h….
std::optional<int32_t> parse_fixed_zone(std::string_view name) {
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") return 0;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (name.starts_with(prefix)) return parse_offset(name.substr(prefix.size()));
  }
  return parse_offset(name);
}

}  // namespace

/// Offsets by instant and by local time. Past `cycle_start_ms` the last 400 years of the table repeat for ever.
struct TimeZone::Data {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  int64_t first_offset_ms = 0;
  /// Transition i, at instants[i], changes to offsets[i].
  std::vector<int64_t> instants;
  std::vector<int64_t> offsets;
  /// From this local time on, a local time means the offset after transition i. It is the later of the two wall clocks
  /// at the transition: a local time in a gap or in an overlap takes the offset before.
  std::vector<int64_t> locals;
  int64_t last_instant = kNever;
  int64_t last_local = kNever;

  explicit Data(std::string_view tzif);

  int64_t offset_after(const std::vector<int64_t>& times, int64_t time) const {
    const auto next = std::upper_bound(times.begin(), times.end(), time);
    return next == times.begin() ? first_offset_ms : offsets[static_cast<size_t>(next - times.begin()) - 1];
  }

 private:
  void add(int64_t instant_seconds, int64_t offset_seconds);
  void add_rule(const PosixTimeZone& rule);
};

TimeZone::Data::Data(std::string_view tzif) {
  TzifReader reader(tzif);
  reader.cut(20);
  const int64_t utc_indicators = reader.number(4);
  const int64_t standard_indicators = reader.number(4);
  const int64_t leap_seconds = reader.number(4);
  const int64_t transitions = reader.number(4);
  const int64_t types = reader.number(4);
  const int64_t name_bytes = reader.number(4);
  TzifReader times(reader.cut(static_cast<size_t>(transitions) * 8));
  const std::string_view type_of = reader.cut(static_cast<size_t>(transitions));
  std::vector<int64_t> type_offsets;
  for (int64_t i = 0; i < types; ++i) {
    type_offsets.push_back(reader.number(4));
    reader.cut(2);
  }
  reader.cut(static_cast<size_t>(name_bytes + leap_seconds * 12 + standard_indicators + utc_indicators));
  first_offset_ms = type_offsets.at(0) * 1000;
  for (int64_t i = 0; i < transitions; ++i) {
    add(times.number(8), type_offsets.at(static_cast<uint8_t>(type_of[static_cast<size_t>(i)])));
  }
  const std::string_view footer = reader.rest();
  if (footer.size() <= 2) return;
  const std::optional<PosixTimeZone> rule = parse_posix_time_zone(footer.substr(1, footer.size() - 2));
  YEOUL_CHECK(rule.has_value(), "the built-in time zones are damaged: '{}' is no rule", footer);
  add_rule(*rule);
}

void TimeZone::Data::add(int64_t instant_seconds, int64_t offset_seconds) {
  // Some tables begin with a transition billions of years ago that stands for the beginning of time.
  const int64_t instant = std::max(instant_seconds, std::numeric_limits<int64_t>::min() / 4000) * 1000;
  const int64_t offset = offset_seconds * 1000;
  const int64_t before = offsets.empty() ? first_offset_ms : offsets.back();
  if (before == offset) return;
  int64_t local = instant + std::max(before, offset);
  if (!locals.empty()) local = std::max(local, locals.back());
  instants.push_back(instant);
  offsets.push_back(offset);
  locals.push_back(local);
}

void TimeZone::Data::add_rule(const PosixTimeZone& rule) {
  if (!rule.has_daylight) {
    // The last transition already leads to the rule's offset; a table without any has it as its one type.
    return;
  }
  const int64_t last = instants.empty() ? 0 : instants.back() / 1000;
  const int64_t first_year = civil_from_days(floor_div(last, kSecondsPerDay)).year;
  for (int64_t year = first_year; year <= first_year + kCycleYears + 1; ++year) {
    std::pair<int64_t, int64_t> changes[] = {
        {local_seconds_of(rule.daylight_start, year) - rule.standard_offset, rule.daylight_offset},
        {local_seconds_of(rule.daylight_end, year) - rule.daylight_offset, rule.standard_offset}};
    if (changes[1].first < changes[0].first) std::swap(changes[0], changes[1]);
    for (const auto& [instant, offset] : changes) {
      if (instants.empty() || instant > last) add(instant, offset);
    }
  }
  last_instant = instants.back();
  last_local = locals.back();
}

TimeZone TimeZone::load(std::string_view name) {
  TimeZone zone;
  zone.name_ = name;
  if (const std::optional<int32_t> offset = parse_fixed_zone(name)) {
    zone.fixed_offset_ms_ = int64_t{*offset} * 1000;
    return zone;
  }
  static std::mutex mutex;
  static std::map<uint32_t, std::shared_ptr<const Data>> loaded;
  const std::span<const EmbeddedZone> zones = embedded_zones();
  const auto found = std::lower_bound(zones.begin(), zones.end(), name,
                                      [](const EmbeddedZone& entry, std::string_view key) { return entry.name < key; });
  if (found == zones.end() || found->name != name) {
    throw user_error(
        2010, "time zone '{}' is not known; use a name such as 'Asia/Seoul' or an offset such as 'GMT+09:00'", name);
  }
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Data>& data = loaded[found->start];
  if (!data) data = std::make_shared<const Data>(embedded_zone_bytes().substr(found->start, found->size));
  zone.data_ = data;
  return zone;
}

int64_t TimeZone::offset_at_instant_ms(int64_t epoch_ms) const {
  if (!data_) return fixed_offset_ms_;
  if (epoch_ms >= data_->last_instant) epoch_ms -= ((epoch_ms - data_->last_instant) / kCycleMillis + 1) * kCycleMillis;
  return data_->offset_after(data_->instants, epoch_ms);
}

int64_t TimeZone::local_to_instant_ms(int64_t local_ms) const {
  if (!data_) return local_ms - fixed_offset_ms_;
  int64_t looked_up = local_ms;
  if (local_ms >= data_->last_local) looked_up -= ((local_ms - data_->last_local) / kCycleMillis + 1) * kCycleMillis;
  return local_ms - data_->offset_after(data_->locals, looked_up);
}

}  // namespace yeoul
