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

void pack_snappy(std::string_view bytes, std::string& out) {
  constexpr size_t kBlockBytes = 32 << 10;
  WireWriter writer(out);
  writer.raw(std::string_view("\x82SNAPPY\0", 8));
  writer.fixed(int32_t{1});
  writer.fixed(int32_t{1});
  while (!bytes.empty()) {
    const std::string_view block = bytes.substr(0, kBlockBytes);
    bytes.remove_prefix(block.size());
    const size_t start = out.size();
    out.resize(start + 4 + snappy::MaxCompressedLength(block.size()));
    size_t size = 0;
    snappy::RawCompress(block.data(), block.size(), out.data() + start + 4, &size);
    store_big_endian(out.data() + start, static_cast<int32_t>(size));
    out.resize(start + 4 + size);
  }
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

  void pack_gzip(std::string_view bytes, int level, std::string& out);
  void pack_lz4(std::string_view bytes, int level, std::string& out);
  void pack_zstd(std::string_view bytes, int level, std::string& out);
};

void Compressor::Impl::pack_gzip(std::string_view bytes, int level, std::string& out) {
  constexpr int kWindowWithGzipHeader = 15 + 16;
  constexpr int kMemoryLevel = 8;
  if (!zlib_ready) {
    YEOUL_CHECK(deflateInit2(&zlib, level, Z_DEFLATED, kWindowWithGzipHeader, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK,
                "zlib has no memory");
    zlib_ready = true;
  } else {
    deflateReset(&zlib);
  }
  const size_t start = out.size();
  const size_t bound = deflateBound(&zlib, bytes.size());
  out.resize(start + bound);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data() + start);
  zlib.avail_out = static_cast<uInt>(bound);
  const int result = deflate(&zlib, Z_FINISH);
  YEOUL_CHECK(result == Z_STREAM_END, "zlib stopped with {}", result);
  out.resize(start + bound - zlib.avail_out);
}

// The blocks are independent: the Java client reads no others.
void Compressor::Impl::pack_lz4(std::string_view bytes, int level, std::string& out) {
  if (lz4 == nullptr) {
    YEOUL_CHECK(!LZ4F_isError(LZ4F_createCompressionContext(&lz4, LZ4F_VERSION)), "LZ4 has no memory");
  }
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.compressionLevel = level;
  preferences.autoFlush = 1;
  const size_t start = out.size();
  const size_t bound = LZ4F_HEADER_SIZE_MAX + LZ4F_compressBound(bytes.size(), &preferences);
  out.resize(start + bound);
  size_t size = 0;
  const auto add = [&](size_t written) {
    YEOUL_CHECK(!LZ4F_isError(written), "LZ4 stopped: {}", LZ4F_getErrorName(written));
    size += written;
  };
  char* const to = out.data() + start;
  add(LZ4F_compressBegin(lz4, to, bound, &preferences));
  if (!bytes.empty()) add(LZ4F_compressUpdate(lz4, to + size, bound - size, bytes.data(), bytes.size(), nullptr));
  add(LZ4F_compressEnd(lz4, to + size, bound - size, nullptr));
  out.resize(start + size);
}

void Compressor::Impl::pack_zstd(std::string_view bytes, int level, std::string& out) {
  if (zstd == nullptr) zstd = ZSTD_createCCtx();
  YEOUL_CHECK(zstd != nullptr, "zstd has no memory");
  const size_t start = out.size();
  const size_t bound = ZSTD_compressBound(bytes.size());
  out.resize(start + bound);
  const size_t size = ZSTD_compressCCtx(zstd, out.data() + start, bound, bytes.data(), bytes.size(), level);
  YEOUL_CHECK(!ZSTD_isError(size), "zstd stopped: {}", ZSTD_getErrorName(size));
  out.resize(start + size);
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

void Compressor::compress(std::string_view bytes, std::string& out) {
  constexpr int kJavaLz4Default = 9;
  switch (compression_) {
    case Compression::kNone:
      out.append(bytes);
      return;
    case Compression::kGzip:
      return impl_->pack_gzip(bytes, level_.value_or(Z_DEFAULT_COMPRESSION), out);
    case Compression::kSnappy:
      return pack_snappy(bytes, out);
    case Compression::kLz4: {
      const int level = level_.value_or(kJavaLz4Default);
      return impl_->pack_lz4(bytes, level == kJavaLz4Default ? 0 : level, out);
    }
    case Compression::kZstd:
      return impl_->pack_zstd(bytes, level_.value_or(ZSTD_CLEVEL_DEFAULT), out);
  }
}

}  // namespace yeoul
