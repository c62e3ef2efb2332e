#define XXH_INLINE_ALL
#include <lz4frame.h>
#include <snappy.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/compression.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr size_t kFirstRoom = size_t{64} << 10;  // a block of LZ4, so that it is written in place
// Snappy's framing by Java's library: this, two versions of four bytes, then blocks with their length in front.
constexpr std::string_view kXerialMagic("\x82SNAPPY\0", 8);
constexpr size_t kXerialHeaderBytes = 16;

[[noreturn]] void fail_damaged(Compression compression, std::string_view why) {
  throw external_error(4012, "compressed records are damaged: {}: {}", name_of(compression), why);
}

void check_size(size_t size, size_t bytes_max) {
  if (size > bytes_max) {
    throw external_error(4012, "compressed records unpack to more than the {} bytes that are allowed", bytes_max);
  }
}

/// What is written so far of one batch, in a room that grows.
class Output {
 public:
  Output(ByteArena& arena, size_t first_room, size_t bytes_max) : arena_(arena), bytes_max_(bytes_max) {
    at_ = arena.open(std::min(first_room, bytes_max + 1));
  }
  char* end() { return at_ + used_; }
  size_t room() const { return arena_.room() - used_; }
  size_t used() const { return used_; }
  void advance(size_t bytes) {
    used_ += bytes;
    check_size(used_, bytes_max_);
  }
  /// At least `bytes` more room.
  void need(size_t bytes) {
    if (room() < bytes) at_ = arena_.open(std::max(used_ + bytes, arena_.room() * 2), used_);
  }
  std::string_view close() { return arena_.close(used_); }

 private:
  ByteArena& arena_;
  size_t bytes_max_;
  char* at_;
  size_t used_ = 0;
};

void unpack_snappy_block(std::string_view bytes, size_t bytes_max, Output& out) {
  size_t size = 0;
  if (!snappy::GetUncompressedLength(bytes.data(), bytes.size(), &size))
    fail_damaged(Compression::kSnappy, "no length");
  check_size(size, bytes_max);
  // Three bytes stand for 64 at most.
  if (size > bytes.size() * 22) fail_damaged(Compression::kSnappy, "the length cannot be");
  out.need(size);
  if (!snappy::RawUncompress(bytes.data(), bytes.size(), out.end())) fail_damaged(Compression::kSnappy, "bad block");
  out.advance(size);
}

std::string_view unpack_snappy(std::string_view bytes, size_t bytes_max, ByteArena& arena) {
  Output out(arena, kFirstRoom, bytes_max);
  if (!bytes.starts_with(kXerialMagic)) {
    unpack_snappy_block(bytes, bytes_max, out);
    return out.close();
  }
  if (bytes.size() < kXerialHeaderBytes) fail_damaged(Compression::kSnappy, "the header is cut short");
  WireReader reader(bytes.substr(kXerialHeaderBytes));
  while (reader.remaining() > 0) {
    const auto size = reader.fixed<uint32_t>();
    const std::string_view block = reader.raw(size);
    if (!reader.ok()) fail_damaged(Compression::kSnappy, "a block is cut short");
    unpack_snappy_block(block, bytes_max, out);
  }
  return out.close();
}

}  // namespace

struct Decompressor::Impl {
  z_stream zlib{};
  bool zlib_ready = false;
  LZ4F_dctx* lz4 = nullptr;
  ZSTD_DCtx* zstd = nullptr;

  ~Impl() {
    if (zlib_ready) inflateEnd(&zlib);
    LZ4F_freeDecompressionContext(lz4);
    ZSTD_freeDCtx(zstd);
  }

  std::string_view unpack_gzip(std::string_view bytes, size_t bytes_max, ByteArena& arena);
  std::string_view unpack_lz4(std::string_view bytes, size_t bytes_max, ByteArena& arena, Lz4Framing framing);
  std::string_view unpack_zstd(std::string_view bytes, size_t bytes_max, ByteArena& arena);
  size_t feed_old_lz4_header(std::string_view bytes);
};

std::string_view Decompressor::Impl::unpack_gzip(std::string_view bytes, size_t bytes_max, ByteArena& arena) {
  constexpr int kAnyWindowWithGzipHeader = 15 + 32;
  if (!zlib_ready) {
    YEOUL_CHECK(inflateInit2(&zlib, kAnyWindowWithGzipHeader) == Z_OK, "zlib has no memory");
    zlib_ready = true;
  } else {
    inflateReset(&zlib);
  }
  Output out(arena, std::max(kFirstRoom, bytes.size() * 4), bytes_max);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  for (;;) {
    out.need(1);
    const auto room = static_cast<uInt>(std::min<size_t>(out.room(), UINT32_MAX));
    zlib.next_out = reinterpret_cast<Bytef*>(out.end());
    zlib.avail_out = room;
    const int result = inflate(&zlib, Z_NO_FLUSH);
    out.advance(room - zlib.avail_out);
    if (result == Z_STREAM_END) return out.close();
    const bool went_on = result == Z_OK || (result == Z_BUF_ERROR && zlib.avail_out == 0);
    if (!went_on) fail_damaged(Compression::kGzip, zlib.msg != nullptr ? zlib.msg : "cut short");
    if (zlib.avail_in == 0 && zlib.avail_out > 0) fail_damaged(Compression::kGzip, "cut short");
  }
}

/// Feeds the header of a frame with its checksum put right, and returns its length.
size_t Decompressor::Impl::feed_old_lz4_header(std::string_view bytes) {
  constexpr size_t kMagicBytes = 4;
  constexpr size_t kLongest = 19;
  if (bytes.size() < kMagicBytes + 3) fail_damaged(Compression::kLz4, "cut short");
  const auto flags = static_cast<uint8_t>(bytes[kMagicBytes]);
  const size_t described = 2 + ((flags & 0x08) != 0 ? 8 : 0) + ((flags & 0x01) != 0 ? 4 : 0);
  size_t header_bytes = kMagicBytes + described + 1;
  if (bytes.size() < header_bytes) fail_damaged(Compression::kLz4, "cut short");
  char header[kLongest];
  std::memcpy(header, bytes.data(), header_bytes);
  header[header_bytes - 1] = static_cast<char>(XXH32(header + kMagicBytes, described, 0) >> 8);
  size_t none = 0;
  const size_t result = LZ4F_decompress(lz4, nullptr, &none, header, &header_bytes, nullptr);
  if (LZ4F_isError(result)) fail_damaged(Compression::kLz4, LZ4F_getErrorName(result));
  return header_bytes;
}

std::string_view Decompressor::Impl::unpack_lz4(std::string_view bytes, size_t bytes_max, ByteArena& arena,
                                                Lz4Framing framing) {
  if (lz4 == nullptr) {
    YEOUL_CHECK(!LZ4F_isError(LZ4F_createDecompressionContext(&lz4, LZ4F_VERSION)), "LZ4 has no memory");
  } else {
    LZ4F_resetDecompressionContext(lz4);
  }
  if (framing == Lz4Framing::kOldChecksum) bytes.remove_prefix(feed_old_lz4_header(bytes));
  Output out(arena, std::max(kFirstRoom, bytes.size() * 4), bytes_max);
  for (;;) {
    out.need(kFirstRoom);
    size_t written = out.room();
    size_t read = bytes.size();
    const size_t result = LZ4F_decompress(lz4, out.end(), &written, bytes.data(), &read, nullptr);
    if (LZ4F_isError(result)) fail_damaged(Compression::kLz4, LZ4F_getErrorName(result));
    out.advance(written);
    bytes.remove_prefix(read);
    if (result == 0) return out.close();
    if (read == 0 && written == 0) fail_damaged(Compression::kLz4, "cut short");
  }
}

std::string_view Decompressor::Impl::unpack_zstd(std::string_view bytes, size_t bytes_max, ByteArena& arena) {
  if (zstd == nullptr) zstd = ZSTD_createDCtx();
  YEOUL_CHECK(zstd != nullptr, "zstd has no memory");
  ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
  Output out(arena, std::max(kFirstRoom, bytes.size() * 4), bytes_max);
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (;;) {
    out.need(kFirstRoom);
    ZSTD_outBuffer output{out.end(), out.room(), 0};
    const size_t before = input.pos;
    const size_t result = ZSTD_decompressStream(zstd, &output, &input);
    if (ZSTD_isError(result)) fail_damaged(Compression::kZstd, ZSTD_getErrorName(result));
    out.advance(output.pos);
    if (result == 0 && input.pos == input.size) return out.close();
    if (input.pos == before && output.pos == 0) fail_damaged(Compression::kZstd, "cut short");
  }
}

Decompressor::Decompressor() : impl_(std::make_unique<Impl>()) {}
Decompressor::~Decompressor() = default;

std::string_view Decompressor::decompress(Compression compression, std::string_view bytes, size_t bytes_max,
                                          ByteArena& arena, Lz4Framing framing) {
  switch (compression) {
    case Compression::kNone:
      return bytes;
    case Compression::kGzip:
      return impl_->unpack_gzip(bytes, bytes_max, arena);
    case Compression::kSnappy:
      return unpack_snappy(bytes, bytes_max, arena);
    case Compression::kLz4:
      return impl_->unpack_lz4(bytes, bytes_max, arena, framing);
    case Compression::kZstd:
      return impl_->unpack_zstd(bytes, bytes_max, arena);
  }
  throw external_error(4012, "records are compressed by method {}, which does not exist",
                       static_cast<int>(compression));
}

}  // namespace yeoul
