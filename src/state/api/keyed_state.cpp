#include "yeoul/state/api/keyed_state.h"

#include "yeoul/common/bytes.h"
#include "yeoul/common/error.h"

namespace yeoul {

std::string_view to_string(StateKind kind) {
  constexpr std::string_view kNames[] = {"value", "list", "map", "sorted map"};
  return kNames[static_cast<size_t>(kind)];
}

std::string StateDescriptor::to_string() const {
  std::string text = fmt::format("{} state '{}'", yeoul::to_string(kind), name);
  if (!map_key_type.empty()) return fmt::format("{} of {} to {}", text, map_key_type, value_type);
  return value_type.empty() ? text : fmt::format("{} of {}", text, value_type);
}

void StateDescriptor::write(ByteWriter& out) const {
  out.string(name);
  out.u8(static_cast<uint8_t>(kind));
  out.string(value_type);
  out.string(map_key_type);
  out.varint(codec_version);
}

StateDescriptor StateDescriptor::read(ByteReader& in) {
  StateDescriptor descriptor;
  descriptor.name = in.string();
  const uint8_t kind = in.u8();
  if (kind > static_cast<uint8_t>(StateKind::kSortedMap)) {
    throw internal_error(6001, "stored bytes are damaged: state '{}' has the unknown kind {}", descriptor.name, kind);
  }
  descriptor.kind = static_cast<StateKind>(kind);
  descriptor.value_type = in.string();
  descriptor.map_key_type = in.string();
  descriptor.codec_version = static_cast<uint32_t>(in.varint());
  return descriptor;
}

}  // namespace yeoul
