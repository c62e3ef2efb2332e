#include "yeoul/net/secure_socket.h"

namespace yeoul {
namespace {

/// A part of a TLS record, 16 KB and its frame at most, may have been taken from the socket already.
constexpr size_t kRecordBytes = size_t{17} << 10;
/// So much of the plain bytes fits a TLS record.
constexpr size_t kRecordContent = size_t{16} << 10;
/// So much encrypted output waits at most before more is taken.
constexpr size_t kOutputBytes = size_t{256} << 10;

}  // namespace

IoResult SecureSocket::fill() {
  const std::span<char> room = tls_->input();
  if (room.empty()) return {IoResult::Status::kDone};
  const IoResult result = socket_.read(room.data(), room.size());
  if (result.status == IoResult::Status::kClosed) {
    tls_->ended();
    return {IoResult::Status::kDone};
  }
  if (result.status == IoResult::Status::kDone) tls_->received(result.bytes);
  return result;
}

IoResult SecureSocket::establish() {
  if (tls_ == nullptr) return {IoResult::Status::kDone};
  for (;;) {
    const IoResult step = tls_->handshake();
    const IoResult flushed = flush();
    // Why the handshake failed says more than that the other side is gone.
    if (step.status != IoResult::Status::kWouldBlock) return step;
    const IoResult filled = fill();
    if (filled.status == IoResult::Status::kDone) continue;
    // So does that it hung up, for which the rest need not have been written.
    return flushed.status == IoResult::Status::kFailed && filled.status == IoResult::Status::kWouldBlock ? flushed
                                                                                                         : filled;
  }
}

IoResult SecureSocket::read(char* to, size_t size) {
  if (tls_ == nullptr) return socket_.read(to, size);
  for (;;) {
    const IoResult result = tls_->read(to, size);
    if (result.status != IoResult::Status::kWouldBlock) return result;
    const IoResult filled = fill();
    if (filled.status != IoResult::Status::kDone) return filled;
  }
}

IoResult SecureSocket::write(std::span<const std::string_view> pieces) {
  if (tls_ == nullptr) return socket_.write(pieces);
  if (tls_->output().size() >= kOutputBytes) {
    const IoResult flushed = flush();
    if (flushed.status != IoResult::Status::kDone) return flushed;
  }
  if (pieces.empty()) return {IoResult::Status::kDone};
  if (pieces.size() == 1 || pieces.front().size() >= kRecordContent) return tls_->write(pieces.front());
  record_.clear();
  for (const std::string_view piece : pieces) record_ += piece.substr(0, kRecordContent - record_.size());
  return tls_->write(record_);
}

IoResult SecureSocket::flush() {
  while (has_output()) {
    const IoResult result = socket_.write(tls_->output());
    if (result.status != IoResult::Status::kDone) return result;
    tls_->sent(result.bytes);
  }
  return {IoResult::Status::kDone};
}

void SecureSocket::set_low_water(size_t bytes) {
  if (tls_ != nullptr) bytes = bytes > kRecordBytes ? bytes - kRecordBytes : 1;
  socket_.set_low_water(bytes);
}

void SecureSocket::close() {
  socket_.close();
  tls_.reset();
}

}  // namespace yeoul
