#include "yeoul/cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

constexpr std::string_view kNull = "<NULL>";

int g_output_error = 0;

void put(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && g_output_error == 0) g_output_error = errno;
}

void flush() {
  if (std::fflush(stdout) != 0 && g_output_error == 0) g_output_error = errno;
}

/// Terminal cells of UTF-8 text: East Asian wide characters take two.
size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    uint32_t code = byte & (length == 1 ? 0x7f : 0xff >> (length + 1));
    for (size_t k = 1; k < length && i + k < text.size(); ++k)
      code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3f);
    const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                      (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                      (code >= 0xff00 && code <= 0xff60) || code >= 0x1f300;
    width += wide ? 2 : 1;
    i += length;
  }
  return width;
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t have = display_width(text);
  return std::string(width > have ? width - have : 0, ' ') + std::string(text);
}

/// Calls `visit(row)` for each live row.
template <class Visit>
void for_each_row(const RowBatch& batch, Visit visit) {
  if (batch.selection) {
    for (const uint32_t row : *batch.selection) visit(row);
  } else {
    for (size_t row = 0; row < batch.num_rows; ++row) visit(row);
  }
}

std::string cell_text(const RowBatch& batch, size_t column, size_t row, const TimeZone& zone,
                      std::string_view null_text) {
  if (batch.columns[column]->is_null(row)) return std::string(null_text);
  std::string text;
  append_text(*batch.columns[column], row, zone, text);
  return text;
}

/// Flink's tableau form.
class TablePrinter final : public ChangelogPrinter {
 public:
  TablePrinter(const Schema& schema, const TimeZone& zone) : zone_(zone) {
    std::string line = "+----+";
    std::string names = "| op |";
    for (const RowField& field : schema.fields()) {
      widths_.push_back(std::max({display_width(field.name), default_width(field.type), kNull.size()}));
      line += std::string(widths_.back() + 2, '-') + "+";
      names += " " + pad_left(field.name, widths_.back()) + " |";
    }
    line_ = line + "\n";
    put(line_ + names + "\n" + line_);
  }

  void print(const RowBatch& batch) override {
    std::string out;
    for_each_row(batch, [&](size_t row) {
      out += fmt::format("| {} |", short_name(batch.kind(row)));
      for (size_t column = 0; column < widths_.size(); ++column) {
        out += " " + pad_left(cell_text(batch, column, row, zone_, kNull), widths_[column]) + " |";
      }
      out += "\n";
    });
    put(out);
    flush();
  }

  void finish(int64_t num_rows) override {
    put(line_ + fmt::format("Received a total of {} rows\n", num_rows));
    flush();
  }

 private:
  static size_t default_width(const LogicalType& type) {
    if (type.is_integer() || type.is_numeric())
      return type.is(TypeRoot::kDecimal) ? static_cast<size_t>(type.precision()) + 2 : 20;
    if (type.is(TypeRoot::kBoolean)) return 7;
    if (type.is(TypeRoot::kDate)) return 10;
    if (type.is_timestamp()) return 26;
    return 30;
  }

  TimeZone zone_;
  std::vector<size_t> widths_;
  std::string line_;
};

/// One object a line: "op", then the columns.
class JsonPrinter final : public ChangelogPrinter {
 public:
  JsonPrinter(const Schema& schema, const TimeZone& zone, const FormatRegistry& formats) {
    const FormatFactory& json = formats.find("json");
    const Options options("json", json.options(), {{"encode.decimal-as-plain-number", "true"}});
    encoder_ = json.create_encoding(options, {zone, "SELECT"})->create_encoder(schema);
    for (size_t i = 0; i < schema.size(); ++i) columns_.push_back(static_cast<int>(i));
  }

  void print(const RowBatch& batch) override {
    const RowBatchPtr dense = compact(std::make_shared<const RowBatch>(batch));
    rows_.clear();
    encoder_->encode(*dense, columns_, rows_);
    std::string out;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const std::string_view object = rows_[row];
      out += fmt::format("{{\"op\":\"{}\"{}{}\n", short_name(dense->kind(row)), object.size() > 2 ? "," : "",
                         object.substr(1));
    }
    put(out);
    flush();
  }

  void finish(int64_t) override { flush(); }

 private:
  std::unique_ptr<Encoder> encoder_;
  std::vector<int> columns_;
  EncodedRows rows_;
};

/// RFC 4180; NULL is an empty field, an empty text is "".
class CsvPrinter final : public ChangelogPrinter {
 public:
  CsvPrinter(const Schema& schema, const TimeZone& zone) : zone_(zone), num_columns_(schema.size()) {
    std::string out = "op";
    for (const RowField& field : schema.fields()) out += "," + quoted(field.name);
    put(out + "\n");
  }

  void print(const RowBatch& batch) override {
    std::string out;
    for_each_row(batch, [&](size_t row) {
      out += short_name(batch.kind(row));
      for (size_t column = 0; column < num_columns_; ++column) {
        out += ",";
        if (!batch.columns[column]->is_null(row)) out += quoted(cell_text(batch, column, row, zone_, ""));
      }
      out += "\n";
    });
    put(out);
    flush();
  }

  void finish(int64_t) override { flush(); }

 private:
  static std::string quoted(std::string_view text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  TimeZone zone_;
  size_t num_columns_;
};

/// The table that the changelog stands for, redrawn in place. Rows keep their places through updates.
class LivePrinter final : public ChangelogPrinter {
 public:
  LivePrinter(const Schema& schema, const TimeZone& zone) : zone_(zone) {
    for (const RowField& field : schema.fields()) names_.push_back(field.name);
  }

  void print(const RowBatch& batch) override {
    for_each_row(batch, [&](size_t row) {
      std::vector<std::string> cells;
      for (size_t column = 0; column < names_.size(); ++column)
        cells.push_back(cell_text(batch, column, row, zone_, kNull));
      apply(batch.kind(row), std::move(cells));
    });
    changed_ = true;
  }

  void refresh() override {
    const int64_t now = system_clock().steady_ns();
    if (!changed_ || now - drawn_at_ns_ < 100'000'000) return;
    draw();
    drawn_at_ns_ = now;
    changed_ = false;
  }

  void finish(int64_t num_rows) override {
    draw();
    put(fmt::format("{} rows after {} changes\n", places_.size(), num_rows));
    flush();
  }

 private:
  void apply(RowKind kind, std::vector<std::string> cells) {
    if (is_retraction(kind)) {
      const auto it = places_.find(cells);
      if (it == places_.end()) return;
      if (kind == RowKind::kUpdateBefore) vacant_.push_back(it->second);
      rows_.erase(it->second);
      places_.erase(it);
      return;
    }
    size_t place = next_place_;
    if (kind == RowKind::kUpdateAfter && !vacant_.empty()) {
      place = vacant_.back();
      vacant_.pop_back();
    } else {
      ++next_place_;
    }
    places_.emplace(cells, place);
    rows_[place] = std::move(cells);
  }

  void draw() {
    std::vector<size_t> widths;
    for (const std::string& name : names_) widths.push_back(display_width(name));
    constexpr size_t kRowsShown = 30;
    size_t shown = 0;
    for (const auto& [place, cells] : rows_) {
      if (++shown > kRowsShown) break;
      for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], display_width(cells[i]));
    }
    const auto line_of = [&](const std::vector<std::string>& cells) {
      std::string out;
      for (size_t i = 0; i < cells.size(); ++i)
        out += pad_left(cells[i], widths[i]) + (i + 1 < cells.size() ? "  " : "");
      return out;
    };
    // On a terminal the last drawing is overwritten; elsewhere tables follow each other.
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    std::string out = terminal && lines_drawn_ > 0 ? fmt::format("\x1b[{}A\x1b[J", lines_drawn_) : "";
    out += line_of(names_) + "\n";
    size_t lines = 1;
    for (const auto& [place, cells] : rows_) {
      if (lines > kRowsShown) {
        out += fmt::format("… {} rows more\n", rows_.size() - kRowsShown);
        ++lines;
        break;
      }
      out += line_of(cells) + "\n";
      ++lines;
    }
    lines_drawn_ = lines;
    put(out);
    flush();
  }

  TimeZone zone_;
  std::vector<std::string> names_;
  std::map<size_t, std::vector<std::string>> rows_;  ///< by place
  std::multimap<std::vector<std::string>, size_t> places_;
  std::vector<size_t> vacant_;  ///< places that an update left
  size_t next_place_ = 0;
  size_t lines_drawn_ = 0;
  bool changed_ = false;
  int64_t drawn_at_ns_ = 0;
};

}  // namespace

int output_error() {
  return g_output_error;
}

void throw_output_error() {
  throw external_error(4501, "cannot write to standard output: {}", std::strerror(g_output_error));
}

void print_text(std::string_view text) {
  put(text);
  flush();
}

std::unique_ptr<ChangelogPrinter> make_printer(std::string_view form, const Schema& schema, const TimeZone& zone,
                                               const FormatRegistry& formats) {
  if (form == "json") return std::make_unique<JsonPrinter>(schema, zone, formats);
  if (form == "csv") return std::make_unique<CsvPrinter>(schema, zone);
  if (form == "live") return std::make_unique<LivePrinter>(schema, zone);
  return std::make_unique<TablePrinter>(schema, zone);
}

}  // namespace yeoul
