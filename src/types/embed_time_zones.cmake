# Writes the tz database into one C++ source: cmake -DZONEINFO=<folder> -DOUT=<file> -P embed_time_zones.cmake
# Of each TZif file only the 64-bit block and the footer are kept; files with equal contents (aliases) share one copy.
cmake_minimum_required(VERSION 3.25)

set(text "")
set(entries "")
set(position 0)
file(GLOB_RECURSE files RELATIVE "${ZONEINFO}" "${ZONEINFO}/*")
list(SORT files)
foreach(name IN LISTS files)
  if(name MATCHES "^(posix|right)/|^(localtime|posixrules|Factory)$")
    continue()
  endif()
  file(READ "${ZONEINFO}/${name}" bytes HEX)
  if(NOT bytes MATCHES "^545a6966(32|33|34)")  # "TZif", version 2 or later
    continue()
  endif()
  # The first header counts what the 32-bit block holds, which ends where the second header begins.
  set(skip 44)
  set(field 40)
  foreach(width IN ITEMS 1 1 8 5 6 1)
    string(SUBSTRING "${bytes}" ${field} 8 count)
    math(EXPR skip "${skip} + ${width} * 0x${count}")
    math(EXPR field "${field} + 8")
  endforeach()
  math(EXPR skip "${skip} * 2")
  string(SUBSTRING "${bytes}" ${skip} -1 bytes)
  string(SHA1 key "${bytes}")
  if(NOT DEFINED start_${key})
    string(LENGTH "${bytes}" size)
    math(EXPR size "${size} / 2")
    set(start_${key} ${position})
    set(size_${key} ${size})
    math(EXPR position "${position} + ${size}")
    string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${bytes}")
    string(APPEND text "    \"${escaped}\"\n")
  endif()
  string(APPEND entries "    {\"${name}\", ${start_${key}}, ${size_${key}}},\n")
endforeach()
if(entries STREQUAL "")
  message(FATAL_ERROR "No time zones in ${ZONEINFO}: install the tzdata package")
endif()

file(WRITE "${OUT}" "#include \"yeoul/types/time_zone_data.h\"

namespace yeoul {

namespace {

constexpr EmbeddedZone kZones[] = {
${entries}};

constexpr char kBytes[] =
${text};

}  // namespace

std::span<const EmbeddedZone> embedded_zones() {
  return kZones;
}

std::string_view embedded_zone_bytes() {
  return {kBytes, sizeof kBytes - 1};
}

}  // namespace yeoul
")
