#include <lz4frame.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/compression.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr std::string_view kNames[] = {"none", "gzip", "snappy", "lz4", "zstd"};
constexpr int kUserError = 2010;

struct LevelRange {
  int lowest;
  int highest;
};

/// KIP-390's. Java's level 9 of LZ4 is its default and means the fast method, not level 9 of the thorough one.
LevelRange levels_of(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return {1, 9};
    case Compression::kLz4:
      return {1, 17};
    case Compression::kZstd:
      return {ZSTD_minCLevel(), ZSTD_maxCLevel()};
    default:
      return {0, -1};
  }
}

constexpr size_t kSnappyBlockBytes = 32 << 10;
constexpr std::string_view kSnappyHead("\x82SNAPPY\0\0\0\0\1\0\0\0\1", 16);

size_t snappy_bound(size_t bytes) {
  const size_t num_blocks = bytes / kSnappyBlockBytes + 1;
  return kSnappyHead.size() + num_blocks * (4 + snappy::MaxCompressedLength(kSnappyBlockBytes));
}

size_t pack_snappy(std::string_view bytes, char* to) {
  char* at = std::copy(kSnappyHead.begin(), kSnappyHead.end(), to);
  while (!bytes.empty()) {
    const std::string_view block = bytes.substr(0, kSnappyBlockBytes);
    bytes.remove_prefix(block.size());
    size_t size = 0;
    snappy::RawCompress(block.data(), block.size(), at + 4, &size);
    store_big_endian(at, static_cast<int32_t>(size));
    at += 4 + size;
  }
  return static_cast<size_t>(at - to);
}

/// The blocks are independent: the Java client reads no others. Its level 9 is its default and the fast method.
LZ4F_preferences_t lz4_preferences(int level) {
  constexpr int kJavaDefault = 9;
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.compressionLevel = level == kJavaDefault ? 0 : level;
  preferences.autoFlush = 1;
  return preferences;
}

}  // namespace

std::string_view name_of(Compression compression) {
  const auto number = static_cast<size_t>(compression);
  return number < std::size(kNames) ? kNames[number] : "unknown compression";
}

std::optional<Compression> find_compression(std::string_view name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Compression>(found - std::begin(kNames));
}

struct Compressor::Impl {
  z_stream zlib{};
  bool zlib_ready = false;
  LZ4F_cctx* lz4 = nullptr;
  ZSTD_CCtx* zstd = nullptr;

  ~Impl() {
    if (zlib_ready) deflateEnd(&zlib);
    LZ4F_freeCompressionContext(lz4);
    ZSTD_freeCCtx(zstd);
  }

  void prepare_zlib(int level);
  size_t pack_gzip(std::string_view bytes, char* to, size_t room);
  size_t pack_lz4(std::string_view bytes, int level, char* to, size_t room);
  size_t pack_zstd(std::string_view bytes, int level, char* to, size_t room);
};

void Compressor::Impl::prepare_zlib(int level) {
  constexpr int kWindowWithGzipHeader = 15 + 16;
  constexpr int kMemoryLevel = 8;
  if (zlib_ready) {
    deflateReset(&zlib);
    return;
  }
  YEOUL_CHECK(deflateInit2(&zlib, level, Z_DEFLATED, kWindowWithGzipHeader, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK,
              "zlib has no memory");
  zlib_ready = true;
}

size_t Compressor::Impl::pack_gzip(std::string_view bytes, char* to, size_t room) {
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(to);
  zlib.avail_out = static_cast<uInt>(room);
  const int result = deflate(&zlib, Z_FINISH);
  YEOUL_CHECK(result == Z_STREAM_END, "zlib stopped with {}", result);
  return room - zlib.avail_out;
}

size_t Compressor::Impl::pack_lz4(std::string_view bytes, int level, char* to, size_t room) {
  if (lz4 == nullptr) {
    YEOUL_CHECK(!LZ4F_isError(LZ4F_createCompressionContext(&lz4, LZ4F_VERSION)), "LZ4 has no memory");
  }
  const LZ4F_preferences_t preferences = lz4_preferences(level);
  size_t size = 0;
  const auto add = [&](size_t written) {
    YEOUL_CHECK(!LZ4F_isError(written), "LZ4 stopped: {}", LZ4F_getErrorName(written));
    size += written;
  };
  add(LZ4F_compressBegin(lz4, to, room, &preferences));
  if (!bytes.empty()) add(LZ4F_compressUpdate(lz4, to + size, room - size, bytes.data(), bytes.size(), nullptr));
  add(LZ4F_compressEnd(lz4, to + size, room - size, nullptr));
  return size;
}

size_t Compressor::Impl::pack_zstd(std::string_view bytes, int level, char* to, size_t room) {
  if (zstd == nullptr) zstd = ZSTD_createCCtx();
  YEOUL_CHECK(zstd != nullptr, "zstd has no memory");
  const size_t size = ZSTD_compressCCtx(zstd, to, room, bytes.data(), bytes.size(), level);
  YEOUL_CHECK(!ZSTD_isError(size), "zstd stopped: {}", ZSTD_getErrorName(size));
  return size;
}

Compressor::Compressor(Compression compression, std::optional<int> level)
    : compression_(compression), level_(level), impl_(std::make_unique<Impl>()) {
  if (!level) return;
  const LevelRange range = levels_of(compression);
  const bool default_of_zlib = compression == Compression::kGzip && *level == Z_DEFAULT_COMPRESSION;
  if (default_of_zlib || (*level >= range.lowest && *level <= range.highest)) return;
  if (range.lowest > range.highest) throw user_error(kUserError, "compression {} has no levels", name_of(compression));
  throw user_error(kUserError, "compression.{}.level must be from {} to {}, not {}", name_of(compression), range.lowest,
                   range.highest, *level);
}

Compressor::~Compressor() = default;

size_t Compressor::bound(size_t bytes) {
  switch (compression_) {
    case Compression::kNone:
      return bytes;
    case Compression::kGzip:
      impl_->prepare_zlib(level_.value_or(Z_DEFAULT_COMPRESSION));
      return deflateBound(&impl_->zlib, bytes);
    case Compression::kSnappy:
      return snappy_bound(bytes);
    case Compression::kLz4: {
      const LZ4F_preferences_t preferences = lz4_preferences(level_.value_or(0));
      return LZ4F_HEADER_SIZE_MAX + LZ4F_compressBound(bytes, &preferences);
    }
    case Compression::kZstd:
      return ZSTD_compressBound(bytes);
  }
  return bytes;
}

size_t Compressor::compress(std::string_view bytes, char* to, size_t room) {
  switch (compression_) {
    case Compression::kNone:
      std::copy(bytes.begin(), bytes.end(), to);
      return bytes.size();
    case Compression::kGzip:
      impl_->prepare_zlib(level_.value_or(Z_DEFAULT_COMPRESSION));
      return impl_->pack_gzip(bytes, to, room);
    case Compression::kSnappy:
      return pack_snappy(bytes, to);
    case Compression::kLz4:
      return impl_->pack_lz4(bytes, level_.value_or(0), to, room);
    case Compression::kZstd:
      return impl_->pack_zstd(bytes, level_.value_or(ZSTD_CLEVEL_DEFAULT), to, room);
  }
  return 0;
}

void Compressor::compress(std::string_view bytes, std::string& out) {
  const size_t start = out.size();
  const size_t room = bound(bytes.size());
  out.resize(start + room);
  out.resize(start + compress(bytes, out.data() + start, room));
}

}  // namespace yeoul
