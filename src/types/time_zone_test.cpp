#include "yeoul/types/time_zone.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/types/posix_time_zone.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone_data.h"

namespace yeoul {
namespace {

int64_t local_ms(int64_t year, int month, int day, int hour = 0, int minute = 0, int second = 0) {
  return ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60'000 + second * 1000;
}

/// The instant of a local time, in seconds.
int64_t instant(std::string_view zone, int64_t local) {
  return TimeZone::load(zone).local_to_instant_ms(local) / 1000;
}

/// What the wall clock shows at an instant.
std::string shown(std::string_view zone, int64_t epoch_ms) {
  std::string text;
  append_timestamp_text({TimeZone::load(zone).instant_to_local_ms(epoch_ms), 0}, 0, text);
  return text;
}

// Instants and texts below are answers of Apache Flink 2.3 (Java 17), but where a comment says otherwise.

TEST(TimeZone, GapMovesForward) {
  EXPECT_EQ(instant("America/Los_Angeles", local_ms(2024, 3, 10, 2, 30)), 1710066600);
  EXPECT_EQ(shown("America/Los_Angeles", 1710066600000), "2024-03-10 03:30:00");
  const auto through = [](std::string_view zone, int64_t local) {
    return shown(zone, TimeZone::load(zone).local_to_instant_ms(local));
  };
  EXPECT_EQ(through("America/New_York", local_ms(2024, 3, 10, 2, 30)), "2024-03-10 03:30:00");
  EXPECT_EQ(through("Europe/London", local_ms(2024, 3, 31, 1, 30)), "2024-03-31 02:30:00");
  EXPECT_EQ(through("Australia/Lord_Howe", local_ms(2024, 10, 6, 2, 15)), "2024-10-06 02:45:00");
  EXPECT_EQ(through("Asia/Seoul", local_ms(1988, 5, 8, 2, 30)), "1988-05-08 03:30:00");
  // A whole day was left out.
  EXPECT_EQ(through("Pacific/Apia", local_ms(2011, 12, 30, 12)), "2011-12-31 12:00:00");
}

TEST(TimeZone, OverlapTakesTheEarlierOffset) {
  const TimeZone zone = TimeZone::load("America/Los_Angeles");
  EXPECT_EQ(instant("America/Los_Angeles", local_ms(2024, 11, 3, 0, 30)), 1730619000);
  // As java.time; Flink's UNIX_TIMESTAMP takes the later instant, which is that function's affair.
  EXPECT_EQ(instant("America/Los_Angeles", local_ms(2024, 11, 3, 1, 30)), 1730622600);
  EXPECT_EQ(instant("America/Los_Angeles", local_ms(2024, 11, 3, 2, 30)), 1730629800);
  EXPECT_EQ(zone.offset_at_instant_ms(1730624399999), -7 * 3'600'000);
  EXPECT_EQ(zone.offset_at_instant_ms(1730624400000), -8 * 3'600'000);
  EXPECT_EQ(shown("America/Los_Angeles", 1730622600000), "2024-11-03 01:30:00");
  EXPECT_EQ(shown("America/Los_Angeles", 1730626200000), "2024-11-03 01:30:00");
}

TEST(TimeZone, HistoryOfSeoul) {
  EXPECT_EQ(instant("Asia/Seoul", local_ms(1988, 5, 8, 1, 30)), 579025800);
  EXPECT_EQ(instant("Asia/Seoul", local_ms(1988, 5, 8, 3, 30)), 579029400);
  EXPECT_EQ(instant("Asia/Seoul", local_ms(1988, 10, 9, 3, 30)), 592338600);
  EXPECT_EQ(instant("Asia/Seoul", local_ms(1954, 3, 21, 0, 15)), -498125700);
  EXPECT_EQ(shown("Asia/Seoul", -2208988800000), "1900-01-01 08:27:52");
  EXPECT_EQ(shown("Asia/Seoul", 579025800000), "1988-05-08 01:30:00");
  EXPECT_EQ(shown("Asia/Seoul", 0), "1970-01-01 09:00:00");
}

TEST(TimeZone, OtherZones) {
  EXPECT_EQ(shown("Europe/London", 0), "1970-01-01 01:00:00");
  EXPECT_EQ(shown("Europe/London", 1719792000000), "2024-07-01 01:00:00");
  EXPECT_EQ(shown("America/New_York", 1710100000000), "2024-03-10 15:46:40");
  EXPECT_EQ(shown("Australia/Lord_Howe", 1710100000000), "2024-03-11 06:46:40");
  EXPECT_EQ(instant("Australia/Lord_Howe", local_ms(2024, 3, 31, 1, 30)), 1711809000);
  EXPECT_EQ(instant("Australia/Lord_Howe", local_ms(2024, 11, 3, 1, 30)), 1730557800);
}

TEST(TimeZone, RulesHoldAfterTheTable) {
  // By the rule of the zones, from the calendar: second Sunday of March and first of November.
  for (const int64_t year : {2030, 2037, 2038, 2100, 2440, 2441, 2500, 9998, 29998}) {
    const TimeZone zone = TimeZone::load("America/New_York");
    EXPECT_EQ(zone.offset_at_instant_ms(local_ms(year, 7, 1)), -4 * 3'600'000) << year;
    EXPECT_EQ(zone.offset_at_instant_ms(local_ms(year, 12, 31)), -5 * 3'600'000) << year;
    EXPECT_EQ(zone.local_to_instant_ms(local_ms(year, 7, 1)), local_ms(year, 7, 1, 4)) << year;
    EXPECT_EQ(zone.local_to_instant_ms(local_ms(year, 1, 1)), local_ms(year, 1, 1, 5)) << year;
    // South of the equator summer is over New Year.
    EXPECT_EQ(TimeZone::load("Australia/Sydney").offset_at_instant_ms(local_ms(year, 1, 1)), 11 * 3'600'000) << year;
  }
  EXPECT_EQ(shown("America/New_York", local_ms(2500, 3, 14, 6, 59, 59)), "2500-03-14 01:59:59");
  EXPECT_EQ(shown("America/New_York", local_ms(2500, 3, 14, 7)), "2500-03-14 03:00:00");
}

TEST(TimeZone, FixedOffsets) {
  const auto hours = [](std::string_view name) {
    return static_cast<double>(TimeZone::load(name).offset_at_instant_ms(0)) / 3'600'000;
  };
  for (const char* name : {"UTC", "GMT", "Z", "Etc/UTC", "+00:00", "UTC+0", "Etc/GMT"})
    EXPECT_EQ(hours(name), 0) << name;
  for (const char* name : {"GMT+9", "UTC+09:00", "+09:00", "+9", "+09", "+0900", "GMT+09:00", "Etc/GMT-9", "UT+09"}) {
    EXPECT_EQ(hours(name), 9) << name;
  }
  EXPECT_EQ(hours("GMT-08:00"), -8);
  EXPECT_EQ(hours("-09:30"), -9.5);
  EXPECT_EQ(TimeZone::load("+01:02:03").offset_at_instant_ms(0), 3723000);
  EXPECT_EQ(TimeZone::load("GMT+9").local_to_instant_ms(0), -9 * 3'600'000);
  EXPECT_EQ(TimeZone::load("UTC+09:00").name(), "UTC+09:00");
}

TEST(TimeZone, RefusesUnknownNames) {
  for (const char* name : {"", "Asia/Soul", "asia/seoul", "+", "+19", "+18:01", "+09:60", "+9:00", "GMT+", "UTC9",
                           "+09:0", "localtime", "Asia", "+123"}) {
    try {
      TimeZone::load(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), 2010) << name;
      EXPECT_EQ(error.family(), ErrorFamily::kUser);
    }
  }
}

TEST(TimeZone, EveryZoneLoadsAndRoundTrips) {
  EXPECT_GT(embedded_zones().size(), 400u);
  for (const EmbeddedZone& entry : embedded_zones()) {
    const TimeZone zone = TimeZone::load(entry.name);
    for (int64_t time = local_ms(1800, 1, 1); time < local_ms(2600, 1, 1); time += 40'000'000'000) {
      const int64_t local = zone.instant_to_local_ms(time);
      // Outside an overlap the local time leads back; inside, to the earlier of two instants with the same local time.
      const int64_t back = zone.local_to_instant_ms(local);
      ASSERT_LE(back, time) << entry.name;
      ASSERT_EQ(zone.instant_to_local_ms(back), local) << entry.name << " " << time;
    }
  }
}

TEST(PosixTimeZone, ReadsRules) {
  const auto lord_howe = parse_posix_time_zone("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
  ASSERT_TRUE(lord_howe);
  EXPECT_EQ(lord_howe->standard_offset, 37800);
  EXPECT_EQ(lord_howe->daylight_offset, 39600);
  EXPECT_EQ(local_seconds_of(lord_howe->daylight_start, 2024), local_ms(2024, 10, 6, 2) / 1000);
  const auto nuuk = parse_posix_time_zone("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
  ASSERT_TRUE(nuuk);
  EXPECT_EQ(local_seconds_of(nuuk->daylight_start, 2024), local_ms(2024, 3, 30, 23) / 1000);
  const auto julian = parse_posix_time_zone("AAA0BBB,J60/0,59/24");
  ASSERT_TRUE(julian);
  for (const int64_t year : {2023, 2024}) {
    EXPECT_EQ(local_seconds_of(julian->daylight_start, year), local_ms(year, 3, 1) / 1000);
    EXPECT_EQ(local_seconds_of(julian->daylight_end, year), (local_ms(year, 1, 1) / 86'400'000 + 60) * 86'400);
  }
  for (const char* bad :
       {"", "E5", "EST", "EST5EDT", "EST5EDT,M13.1.0,M11.1.0", "EST5EDT,M3.2.0", "<+01-1", "EST5EDT,M3.2.0,M11.1.0x"}) {
    EXPECT_FALSE(parse_posix_time_zone(bad)) << bad;
  }
}

}  // namespace
}  // namespace yeoul
