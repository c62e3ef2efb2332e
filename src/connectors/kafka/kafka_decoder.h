#pragma once

#include <memory>

#include "yeoul/connectors/api/source.h"
#include "yeoul/kafka/client/consumer.h"

namespace yeoul {

/// Turns fetched records into the records of a stream, a buffer's part at a time. Threads: its task's.
class KafkaDecoder {
 public:
  virtual ~KafkaDecoder() = default;
  /// Appends what records [first, first + count) give. @throws user error 3001 naming the record that is bad
  virtual void append(const FetchedBuffer& buffer, size_t first, size_t count) = 0;
  /// Appended since the last take().
  virtual size_t num_rows() const = 0;
  /// Bytes of the messages they came from.
  virtual size_t num_bytes() const = 0;
  virtual BatchPtr take() = 0;
};

/// Makes the decoders of a source. Const, shared by tasks.
class KafkaDecoderFactory {
 public:
  virtual ~KafkaDecoderFactory() = default;
  virtual std::unique_ptr<KafkaDecoder> create(SourceMetrics* metrics) const = 0;
};

}  // namespace yeoul
