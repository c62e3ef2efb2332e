#pragma once

#include <string>

#include "yeoul/cli/arguments.h"

namespace yeoul {

/// Runs a script. @param sql  its text; @param origin  its file's name, for the resume command; empty: none
/// @return  the program's exit code: 0 finished or stopped, 2 a job failed. User errors are thrown.
int run_script(const Arguments& arguments, const std::string& sql, const std::string& origin);

/// Prints the plans of a script.
int explain_script(const Arguments& arguments, const std::string& sql);

}  // namespace yeoul
