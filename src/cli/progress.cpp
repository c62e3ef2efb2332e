#include "yeoul/cli/progress.h"

#include <fmt/chrono.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "yeoul/common/clock.h"
#include "yeoul/types/text.h"

namespace yeoul {

std::string grouped_number(int64_t value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string byte_text(int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* const units[] = {"kB", "MB", "GB", "TB"};
  size_t unit = 0;
  value /= 1000;
  while (value >= 1000 && unit < 3) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

namespace {

/// The most memory the program has had. The rusage of a process counts its parent's too, from before it became itself.
int64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  int64_t kilobytes = usage.ru_maxrss;
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return kilobytes * 1024;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr && std::sscanf(line, "VmHWM: %ld", &kilobytes) != 1) {
  }
  std::fclose(file);
  return kilobytes * 1024;
}

/// "  busiest GroupAggregate 93%": whose time grew most since the last reading; empty where none did much.
std::string most_of(std::string_view what, const std::vector<TimeSpent>& now, const std::vector<TimeSpent>& before,
                    int64_t elapsed_ns) {
  if (now.size() != before.size() || elapsed_ns <= 0) return "";
  std::string_view name;
  int64_t most_ns = elapsed_ns / 100;
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].ns - before[i].ns <= most_ns) continue;
    most_ns = now[i].ns - before[i].ns;
    name = now[i].name;
  }
  if (name.empty()) return "";
  // A planner's names go on with all that the operator does.
  const size_t end = std::min(name.find_first_of("(["), name.size());
  return fmt::format("  {} {} {}%", what, name.substr(0, end), std::min<int64_t>(100, most_ns * 100 / elapsed_ns));
}

size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 200;
}

/// The text cut to so many columns: a line that wrapped could not be redrawn.
std::string first_columns(const std::string& text, size_t columns) {
  size_t bytes = 0;
  for (size_t used = 0; bytes < text.size(); ++bytes) {
    const bool starts_character = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (starts_character && ++used > columns - 1) break;
  }
  return text.substr(0, bytes);
}

}  // namespace

void LiveLine::update(const JobProgress& progress) {
  if (!enabled_) return;
  const int64_t now = system_clock().steady_ns();
  if (now - last_ns_ < 200'000'000) return;
  const double seconds = last_ns_ == 0 ? 0 : static_cast<double>(now - last_ns_) / 1e9;
  const auto rate = [&](int64_t current, int64_t before) {
    return seconds > 0 ? static_cast<int64_t>(static_cast<double>(current - before) / seconds) : 0;
  };
  std::string watermark = "none";
  if (progress.watermark == kMaxWatermark) {
    watermark = "end";
  } else if (progress.watermark != kMinWatermark) {
    watermark.clear();
    append_timestamp_text({progress.watermark, 0}, 3, watermark);
  }
  std::string checkpoint = "none";
  if (progress.last_checkpoint) {
    checkpoint = fmt::format("{} ({} ms, {})", progress.last_checkpoint->id, progress.last_checkpoint->duration_ms,
                             byte_text(progress.last_checkpoint->bytes));
  }
  std::string line = fmt::format(
      "{}  in {}/s {}/s  out {}/s {}/s  watermark {}  checkpoint {}{}", to_string(progress.status),
      grouped_number(rate(progress.records_in, last_.records_in)), byte_text(rate(progress.bytes_in, last_.bytes_in)),
      grouped_number(rate(progress.records_out, last_.records_out)),
      byte_text(rate(progress.bytes_out, last_.bytes_out)), watermark, checkpoint,
      progress.restarts > 0 ? fmt::format("  restarts {}", progress.restarts) : "");
  line += most_of("busiest", progress.busy, last_.busy, now - last_ns_);
  line += most_of("backpressured", progress.backpressured, last_.backpressured, now - last_ns_);
  line = "\r\x1b[K" + first_columns(line, terminal_columns());
  std::fwrite(line.data(), 1, line.size(), stderr);
  drawn_ = true;
  last_ns_ = now;
  last_ = progress;
}

void LiveLine::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

std::string closing_line(const Job& job, int64_t elapsed_ns, const std::string& resume) {
  const JobProgress progress = job.progress();
  const double seconds = static_cast<double>(elapsed_ns) / 1e9;
  std::string line = fmt::format(
      "job '{}' {}: in {} rows ({}), out {} rows ({}), skipped {}{}, {} rows/s in {:.2f} s, memory {}", job.name(),
      to_string(progress.status), grouped_number(progress.records_in), byte_text(progress.bytes_in),
      grouped_number(progress.records_out), byte_text(progress.bytes_out), grouped_number(progress.records_skipped),
      progress.records_skipped > 0 ? " (records that gave no row)" : "",
      grouped_number(seconds > 0 ? static_cast<int64_t>(static_cast<double>(progress.records_in) / seconds) : 0),
      seconds, byte_text(peak_memory_bytes()));
  if (progress.restarts > 0) line += fmt::format(", restarts {}", progress.restarts);
  if (progress.last_checkpoint) {
    const CheckpointInfo& checkpoint = *progress.last_checkpoint;
    line += fmt::format(", last checkpoint {} ({} in {} ms, tasks held {} ms) at {}", checkpoint.id,
                        byte_text(checkpoint.bytes), checkpoint.duration_ms, checkpoint.synchronous_ms_max,
                        checkpoint.path);
    if (!resume.empty()) line += fmt::format("; resume: {}", resume);
  }
  return line;
}

}  // namespace yeoul
