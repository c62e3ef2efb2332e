#pragma once

#include <string>
#include <string_view>

namespace yeoul {

/// A path on this machine as Flink's options spell it: plain, file:/… or file:///… (percent signs decoded), without a
/// slash at the end. @param what  names the option in a message. @throws user error 2010 for another scheme or an empty
/// path.
std::string local_path(std::string_view what, std::string_view text);

/// The text with each %XX replaced by its byte; a percent sign that two hexadecimal digits do not follow stays.
std::string percent_decoded(std::string_view text);

}  // namespace yeoul
