#pragma once

#include <span>
#include <string>
#include <string_view>

#include "yeoul/common/options.h"
#include "yeoul/runtime/job.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

/// What Yeoul does with an option of Flink (docs/architecture.md, D17).
enum class OptionTreatment : uint8_t {
  kHonoured,
  kAccepted,  ///< without effect; the reason is printed once
  kRefused,   ///< an error, with the reason
};

struct SessionOption {
  std::string_view key;  ///< ends with '*' where it stands for all keys below
  OptionTreatment treatment = OptionTreatment::kHonoured;
  OptionType type = OptionType::kString;
  std::string_view fallback = "";
  std::string_view help = "";  ///< what it does, or the reason
};

/// All rows, sorted by key.
std::span<const SessionOption> session_options();

/// The options of a session: SET, RESET, -D and configuration files.
class SessionOptions {
 public:
  SessionOptions() = default;

  /// Sets an option. Old names of Flink are put under their present ones. @throws user error 2011 for a name that Flink
  /// does not have (with the nearest), 2013 for a refused one (with the reason), 2010 for a value of the wrong form.
  /// @return  a note for the user, when the option has no effect here; else empty
  std::string set(const std::string& key, const std::string& value);
  void reset(const std::string& key) { values_.erase(key); }
  void reset_all() { values_.clear(); }

  const OptionMap& values() const { return values_; }
  /// What the program around the session has set, for options that the user sets not here; not checked.
  void set_inherited(OptionMap values) { inherited_ = std::move(values); }
  /// The user's value, else the inherited one, else the row's fallback.
  std::string text(std::string_view key) const;
  TimeZone zone() const;
  int parallelism() const;
  bool checkpointing() const;
  /// The job's configuration. @param default_name  when pipeline.name is not set
  JobConfig job_config(const std::string& default_name) const;
  RestartSettings restart_settings() const;

 private:
  OptionMap values_;
  OptionMap inherited_;
};

}  // namespace yeoul
