#include <random>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"

namespace yeoul {

namespace {

/// A generator for one kernel call; nothing is kept between calls.
std::mt19937_64 make_generator() {
  std::random_device device;
  return std::mt19937_64((static_cast<uint64_t>(device()) << 32) | device());
}

ColumnPtr rand_double(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::mt19937_64 generator = make_generator();
  return write_cells<double>(call, arguments, n,
                             [&](size_t) -> double { return static_cast<double>(generator() >> 11) * 0x1.0p-53; });
}

/// 0 to bound - 1.
ColumnPtr rand_integer(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int32_t> bound(arguments[0]);
  std::mt19937_64 generator = make_generator();
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> std::optional<int32_t> {
    if (bound[i] <= 0) {
      context.row_error(static_cast<uint32_t>(i), fmt::format("bound must be positive, not {}", bound[i]));
      return std::nullopt;
    }
    return static_cast<int32_t>(generator() % static_cast<uint64_t>(bound[i]));
  });
}

/// Version 4 of RFC 4122.
ColumnPtr uuid(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::mt19937_64 generator = make_generator();
  return write_strings(call, arguments, n, [&](size_t, Buffer& out) {
    const uint64_t high = (generator() & ~uint64_t{0xf000}) | 0x4000;
    const uint64_t low = (generator() & ~(uint64_t{3} << 62)) | (uint64_t{1} << 63);
    append_bytes(out, fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                                  high & 0xffff, low >> 48, low & 0xffffffffffff));
    return true;
  });
}

constexpr Function kRandomFunctions[] = {
    {"RAND", "", type_of_root<TypeRoot::kDouble>, rand_double, NullRule::kNotNull, false, false},
    {"RAND_INTEGER", "i", type_of_root<TypeRoot::kInteger>, rand_integer, NullRule::kAnyArgument, true, false},
    {"UUID", "", type_char<36>, uuid, NullRule::kNotNull, false, false},
};

}  // namespace

std::span<const Function> random_functions() {
  return kRandomFunctions;
}

}  // namespace yeoul
