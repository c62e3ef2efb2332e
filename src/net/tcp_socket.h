#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace yeoul {

/// An address to connect to.
class SocketAddress {
 public:
  SocketAddress(std::string text, std::string native) : text_(std::move(text)), native_(std::move(native)) {}
  /// "127.0.0.1:9092", "[::1]:9092".
  const std::string& text() const { return text_; }
  /// The operating system's structure.
  std::string_view native() const { return native_; }

 private:
  std::string text_;
  std::string native_;
};

/// How reading or writing went.
struct IoResult {
  enum class Status { kDone, kWouldBlock, kClosed, kFailed };
  Status status;
  size_t bytes = 0;
  std::string reason;    ///< of kFailed
  bool refused = false;  ///< of kFailed: trying again is of no use
};

/// Sizes of a socket's buffers; 0: the operating system's choice.
struct SocketBuffers {
  int receive_bytes = 0;
  int send_bytes = 0;
};

/// A TCP connection that never blocks. Threads: one at a time.
class TcpSocket {
 public:
  TcpSocket() = default;
  explicit TcpSocket(int descriptor) : descriptor_(descriptor) {}
  ~TcpSocket() { close(); }
  TcpSocket(TcpSocket&& other) noexcept;
  TcpSocket& operator=(TcpSocket&& other) noexcept;

  /// Begins to connect; it has ended when the socket can be written to. @throws external error 4500.
  static TcpSocket connect(const SocketAddress& address, const SocketBuffers& buffers = {});
  /// Why connecting failed; empty: it did not.
  std::string connect_failure() const;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  IoResult read(char* to, size_t size);
  IoResult write(std::string_view bytes) { return write(std::span(&bytes, 1)); }
  static constexpr size_t kPiecesAtOnce = 64;
  /// Writes pieces one after the other, kPiecesAtOnce at most, in one call to the system.
  IoResult write(std::span<const std::string_view> pieces);
  /// How many bytes must have come before the socket counts as readable: fewer wake-ups where much is known to come.
  /// The end of the connection counts always.
  void set_low_water(size_t bytes);
  void close();

 private:
  int descriptor_ = -1;
  size_t low_water_ = 1;
};

}  // namespace yeoul
