#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yeoul {

/// A time zone by its IANA name ("Asia/Seoul"), a fixed offset ("+09:00", "GMT+9", "UTC+09:00") or "UTC". The data is
/// part of the program (D3): nothing is read from the machine. Cheap to copy.
class TimeZone {
 public:
  /// UTC.
  TimeZone() = default;
  /// @throws user error 2010 for an unknown name.
  static TimeZone load(std::string_view name);

  const std::string& name() const { return name_; }
  /// The zone's offset from UTC at an instant, milliseconds.
  int64_t offset_at_instant_ms(int64_t epoch_ms) const;
  /// Local wall-clock milliseconds (as if UTC) to the instant; as java.time's ZonedDateTime.of: a time in a gap moves
  /// forward by the gap, in an overlap the earlier offset counts.
  int64_t local_to_instant_ms(int64_t local_ms) const;
  int64_t instant_to_local_ms(int64_t epoch_ms) const { return epoch_ms + offset_at_instant_ms(epoch_ms); }

 private:
  struct Data;
  std::string name_ = "UTC";
  int64_t fixed_offset_ms_ = 0;
  std::shared_ptr<const Data> data_;
};

}  // namespace yeoul
