#include "yeoul/formats/raw/raw_format.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "yeoul/common/charset.h"

namespace yeoul {
namespace {

constexpr OptionSpec kOptions[] = {
    {.key = "charset",
     .type = OptionType::kEnum,
     .fallback = "UTF-8",
     .help = "How strings are encoded.",
     .values = "UTF-8|ISO-8859-1|US-ASCII"},
    {.key = "endianness",
     .type = OptionType::kEnum,
     .fallback = "big-endian",
     .help = "Order of the bytes of a number.",
     .values = "big-endian|little-endian"},
};

struct RawOptions {
  Charset charset = Charset::kUtf8;
  bool big_endian = true;
};

/// @throws user error 2014 for anything but one column of a type that raw knows.
void check_schema(const Schema& schema) {
  if (schema.size() != 1) {
    throw user_error(2014, "format 'raw' reads and writes exactly one column, but there are {}: {}", schema.size(),
                     schema.to_string());
  }
  switch (schema[0].type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
    case TypeRoot::kBoolean:
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return;
    default:
      throw user_error(2014, "column '{}': format 'raw' has no form for type {}", schema[0].name,
                       schema[0].type.to_string());
  }
}

/// The number's bytes in the message's order into the machine's, or back.
void copy_number(const char* from, char* to, size_t size, bool big_endian) {
  static_assert(std::endian::native == std::endian::little);
  if (big_endian) {
    std::reverse_copy(from, from + size, to);
  } else {
    std::memcpy(to, from, size);
  }
}

class RawDecoder final : public Decoder {
 public:
  RawDecoder(RawOptions options, const Schema& wanted) : options_(options) {
    if (wanted.size() == 0) return;
    check_schema(wanted);
    name_ = wanted[0].name;
    type_ = wanted[0].type;
    width_ = cell_bytes(type_.physical());
  }

  void decode(std::span<const Message> messages, DecodedRows& out) override {
    for (uint32_t i = 0; i < messages.size(); ++i) {
      if (messages[i].data == nullptr) continue;
      if (!out.columns.empty() && !decode_cell(messages[i].view(), i, out)) continue;
      out.message_of_row.push_back(i);
    }
  }

 private:
  bool decode_cell(std::string_view text, uint32_t message, DecodedRows& out) {
    ColumnBuilder& builder = out.columns[0];
    const auto refuse = [&](std::string reason, int64_t byte) {
      out.errors.push_back({.message = message, .field = name_, .byte = byte, .reason = std::move(reason)});
      return false;
    };
    if (width_ == 0) {
      if (!type_.is_string() || options_.charset == Charset::kUtf8) {
        builder.append_string(text);
        return true;
      }
      return decode_string(text, builder, refuse);
    }
    if (text.size() != width_) {
      return refuse(
          fmt::format("a value of type {} has {} bytes, but there are {}", type_.to_string(), width_, text.size()), -1);
    }
    char cell[8];
    copy_number(text.data(), cell, width_, options_.big_endian);
    const auto append_as = [&](auto number) {
      std::memcpy(&number, cell, sizeof number);
      builder.append(number);
    };
    switch (type_.physical()) {
      case PhysicalType::kBool:
        builder.append(static_cast<uint8_t>(cell[0] != 0));
        break;
      case PhysicalType::kInt8:
        append_as(int8_t{});
        break;
      case PhysicalType::kInt16:
        append_as(int16_t{});
        break;
      case PhysicalType::kInt32:
        append_as(int32_t{});
        break;
      case PhysicalType::kFloat:
        append_as(float{});
        break;
      case PhysicalType::kDouble:
        append_as(double{});
        break;
      default:
        append_as(int64_t{});
    }
    return true;
  }

  template <class Refuse>
  bool decode_string(std::string_view text, ColumnBuilder& builder, const Refuse& refuse) {
    scratch_.clear();
    if (const size_t bad = append_decoded(text, options_.charset, scratch_); bad != std::string_view::npos) {
      return refuse(fmt::format("byte 0x{:02x} is not US-ASCII", static_cast<uint8_t>(text[bad])),
                    static_cast<int64_t>(bad));
    }
    builder.append_string(scratch_);
    return true;
  }

  RawOptions options_;
  std::string name_;
  LogicalType type_;
  size_t width_ = 0;
  std::string scratch_;
};

class RawEncoder final : public Encoder {
 public:
  RawEncoder(RawOptions options, const Schema& row) : options_(options) {
    check_schema(row);
    name_ = row[0].name;
    type_ = row[0].type;
    width_ = cell_bytes(type_.physical());
  }

  void encode(const RowBatch& batch, std::span<const int> columns, EncodedRows& out) override {
    const Column& column = *batch.columns[static_cast<size_t>(columns[0])];
    for (size_t row = 0; row < batch.num_rows; ++row) {
      if (column.is_null(row)) {
        out.append_null();
        continue;
      }
      encode_cell(column, row, out.bytes);
      out.offsets.push_back(out.bytes.size());
    }
  }

 private:
  void encode_cell(const Column& column, size_t row, std::string& out) {
    if (width_ == 0) {
      const std::string_view text = column.string_at(row);
      append_encoded(text, type_.is_string() ? options_.charset : Charset::kUtf8, out);
      return;
    }
    char cell[8];
    copy_number(column.bytes() + row * width_, cell, width_, options_.big_endian);
    out.append(cell, width_);
  }

  RawOptions options_;
  std::string name_;
  LogicalType type_;
  size_t width_ = 0;
};

class RawDecodingFormat final : public DecodingFormat {
 public:
  explicit RawDecodingFormat(RawOptions options) : options_(options) {}
  std::unique_ptr<Decoder> create_decoder(const Schema& wanted) const override {
    return std::make_unique<RawDecoder>(options_, wanted);
  }

 private:
  RawOptions options_;
};

class RawEncodingFormat final : public EncodingFormat {
 public:
  explicit RawEncodingFormat(RawOptions options) : options_(options) {}
  std::unique_ptr<Encoder> create_encoder(const Schema& row) const override {
    return std::make_unique<RawEncoder>(options_, row);
  }

 private:
  RawOptions options_;
};

class RawFormatFactory final : public FormatFactory {
 public:
  std::string_view identifier() const override { return "raw"; }
  std::span<const OptionSpec> options() const override { return kOptions; }
  std::unique_ptr<DecodingFormat> create_decoding(const Options& options, const FormatContext&) const override {
    return std::make_unique<RawDecodingFormat>(read(options));
  }
  std::unique_ptr<EncodingFormat> create_encoding(const Options& options, const FormatContext&) const override {
    return std::make_unique<RawEncodingFormat>(read(options));
  }

 private:
  static RawOptions read(const Options& options) {
    return {.charset = find_charset(options.text("charset")).value(),  // one of the option's values
            .big_endian = options.text("endianness") == "big-endian"};
  }
};

}  // namespace

std::unique_ptr<FormatFactory> make_raw_format() {
  return std::make_unique<RawFormatFactory>();
}

}  // namespace yeoul
