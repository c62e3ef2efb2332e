#pragma once

#include <string>

namespace yeoul {

/// The code of the external error that says that there are no descriptors left.
constexpr int kNoDescriptors = 7031;

/// Whether an error number of the system says that there are no descriptors left, of which files, sockets and the like
/// take one each: what waiting hardly changes.
bool is_descriptor_shortage(int number);

/// What an error number of the system means, for messages; of a shortage of descriptors also what to do. Any thread.
std::string system_error_text(int number);

}  // namespace yeoul
