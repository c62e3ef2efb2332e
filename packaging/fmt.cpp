// {fmt} compiled into the program: Debian has it as a shared library only, but all of its source is in its headers.
// What the headers leave to the library's one source file are these templates.
#include <fmt/format-inl.h>

namespace fmt::detail {
template FMT_API thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template FMT_API char decimal_point_impl<char>(locale_ref);
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;
}  // namespace fmt::detail
