#pragma once

#include <string>

#include "yeoul/runtime/job.h"

namespace yeoul {

/// "1,234,567".
std::string grouped_number(int64_t value);
/// "12.3 MB".
std::string byte_text(int64_t bytes);

/// The one live line of the running jobs, on standard error of a terminal.
class LiveLine {
 public:
  explicit LiveLine(bool enabled) : enabled_(enabled) {}
  ~LiveLine() { clear(); }
  /// Redraws at most five times a second.
  void update(const JobProgress& progress);
  void clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  int64_t last_ns_ = 0;
  JobProgress last_;
};

/// The closing line of a job. @param resume  the command that goes on from its last checkpoint; empty: none
std::string closing_line(const Job& job, int64_t elapsed_ns, const std::string& resume);

}  // namespace yeoul
