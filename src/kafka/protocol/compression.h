#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "yeoul/kafka/protocol/buffer_pool.h"

namespace yeoul {

/// How the records of a batch are compressed; the numbers of a batch's attributes.
enum class Compression : uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };

/// "none", "gzip", "snappy", "lz4", "zstd": the names of `compression.type`.
std::string_view name_of(Compression compression);
std::optional<Compression> find_compression(std::string_view name);

/// Which LZ4 frame a record set has: sets of magic 0 have a wrong checksum in the frame's header (KAFKA-3160).
enum class Lz4Framing : uint8_t { kStandard, kOldChecksum };

/// Decompresses whole batches; keeps the libraries' work areas. Threads: one at a time.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();

  /// The decompressed bytes, in the arena. Snappy comes raw or in the framing of Java's library; both are read.
  /// @throws external error 4012 for damaged bytes, or when there are more than `bytes_max`
  std::string_view decompress(Compression compression, std::string_view bytes, size_t bytes_max, ByteArena& arena,
                              Lz4Framing framing = Lz4Framing::kStandard);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Compresses whole batches. Threads: one at a time.
class Compressor {
 public:
  /// @param level  as `compression.<type>.level` has it; unset: Kafka's default
  /// @throws user error 2010 for a level that the compression does not have
  explicit Compressor(Compression compression, std::optional<int> level = std::nullopt);
  ~Compressor();

  Compression compression() const { return compression_; }
  /// How many bytes `bytes` can become at most.
  size_t bound(size_t bytes);
  /// Writes the compressed bytes and returns how many there are.
  /// @param room  as bound() says at least
  size_t compress(std::string_view bytes, char* to, size_t room);
  /// Appends the compressed bytes.
  void compress(std::string_view bytes, std::string& out);

 private:
  struct Impl;
  Compression compression_;
  std::optional<int> level_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
