#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "yeoul/formats/api/format.h"
#include "yeoul/types/batch.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

/// Prints the changelog of a SELECT on standard output.
class ChangelogPrinter {
 public:
  virtual ~ChangelogPrinter() = default;
  virtual void print(const RowBatch& batch) = 0;
  /// Called now and then: forms that redraw do it here, at most ten times a second.
  virtual void refresh() {}
  /// After the last row. @param num_rows  changelog rows in all
  virtual void finish(int64_t num_rows) = 0;
};

/// @param form  table, json, csv or live
std::unique_ptr<ChangelogPrinter> make_printer(std::string_view form, const Schema& schema, const TimeZone& zone,
                                               const FormatRegistry& formats);

/// The errno of the first write to standard output that failed; 0 while all went well. What is printed later is lost.
int output_error();
/// @throws external error 4501 that says so
[[noreturn]] void throw_output_error();
/// On standard output.
void print_text(std::string_view text);

}  // namespace yeoul
