#include "yeoul/types/row_literal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "yeoul/common/ascii.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kDelimiters = ",=]})";

[[noreturn]] void wrong_cell(const LogicalType& type, std::string_view text) {
  throw internal_error(9000, "row literal: '{}' is no {}", text, type.to_string());
}

template <class T>
T parse_number(const LogicalType& type, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) wrong_cell(type, text);
  return value;
}

/// Integers separated by `-:. T`, such as the parts of a timestamp; the fraction as nanoseconds in the last.
int64_t next_part(const LogicalType& type, std::string_view text, size_t& at, std::string_view before) {
  if (!before.empty() && (at >= text.size() || before.find(text[at++]) == std::string_view::npos))
    wrong_cell(type, text);
  const size_t start = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return parse_number<int64_t>(type, text.substr(start, at - start));
}

int64_t parse_days(const LogicalType& type, std::string_view text, size_t& at) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) ++at;
  const int64_t year = next_part(type, text, at, "");
  const int64_t month = next_part(type, text, at, "-");
  const int64_t day = next_part(type, text, at, "-");
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(negative ? -year : year, static_cast<int>(month))) {
    wrong_cell(type, text);
  }
  return days_from_civil(negative ? -year : year, static_cast<int>(month), static_cast<int>(day));
}

/// Nanoseconds of the day of the text from `at` to its end.
int64_t parse_time_of_day(const LogicalType& type, std::string_view text, size_t at) {
  const int64_t hour = next_part(type, text, at, "");
  const int64_t minute = next_part(type, text, at, ":");
  const int64_t second = next_part(type, text, at, ":");
  int64_t nanos = 0;
  if (at < text.size()) {
    const size_t start = at + 1;
    nanos = next_part(type, text, at, ".");
    for (size_t digits = at - start; digits < 9; ++digits) nanos *= 10;
  }
  if (at != text.size() || hour > 23 || minute > 59 || second > 59 || nanos > 999'999'999) wrong_cell(type, text);
  return ((hour * 60 + minute) * 60 + second) * 1'000'000'000 + nanos;
}

TimestampValue parse_timestamp(const LogicalType& type, std::string_view text) {
  size_t at = 0;
  const int64_t days = parse_days(type, text, at);
  if (at >= text.size() || (text[at] != ' ' && text[at] != 'T')) wrong_cell(type, text);
  const int64_t nanos = parse_time_of_day(type, text, at + 1);
  return {days * 86'400'000 + nanos / 1'000'000, static_cast<int32_t>(nanos % 1'000'000)};
}

int64_t parse_interval(const LogicalType& type, std::string_view text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) wrong_cell(type, text);
  size_t at = 1;
  int64_t amount = next_part(type, text, at, "");
  if (type.is(TypeRoot::kIntervalYearMonth)) {
    amount = amount * 12 + next_part(type, text, at, "-");
    if (at != text.size()) wrong_cell(type, text);
  } else {
    if (at >= text.size() || text[at] != ' ') wrong_cell(type, text);
    amount = amount * 86'400'000 + parse_time_of_day(type, text, at + 1) / 1'000'000;
  }
  return text[0] == '-' ? -amount : amount;
}

std::string parse_binary(const LogicalType& type, std::string_view text) {
  if (!text.starts_with("0x") || text.size() % 2 != 0) wrong_cell(type, text);
  std::string bytes;
  for (size_t i = 2; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (error != std::errc() || end != text.data() + i + 2) wrong_cell(type, text);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

double parse_double(const LogicalType& type, std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (type.is(TypeRoot::kFloat)) return parse_number<float>(type, text);
  return parse_number<double>(type, text);
}

Value parse_cell(const LogicalType& type, std::string_view text);

/// Reads elements of collections: text up to a delimiter of its own level, or a nested collection.
class ElementReader {
 public:
  explicit ElementReader(std::string_view text) : text_(text) {}

  Value read(const LogicalType& type) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const PhysicalType physical = type.physical();
    if (physical >= PhysicalType::kList && physical <= PhysicalType::kStruct) {
      if (text_.substr(at_).starts_with("NULL")) {
        at_ += 4;
        return {};
      }
      return read_collection(type);
    }
    const size_t end = std::min(text_.find_first_of(kDelimiters, at_), text_.size());
    const std::string_view element = text_.substr(at_, end - at_);
    at_ = end;
    return element == "NULL" ? Value() : parse_cell(type, element);
  }
  bool at_end() const { return at_ == text_.size(); }

 private:
  Value read_collection(const LogicalType& type) {
    const bool is_row = type.is(TypeRoot::kRow);
    const bool is_map = type.physical() == PhysicalType::kMap;
    expect(type, is_row ? '(' : is_map ? '{' : '[');
    const char close = is_row ? ')' : is_map ? '}' : ']';
    auto list = std::make_shared<ValueList>();
    if (at_ < text_.size() && text_[at_] == close) {
      ++at_;
      return Value(std::move(list));
    }
    for (size_t i = 0;; ++i) {
      list->push_back(read(type.child(is_row ? i : 0)));
      if (is_map) {
        expect(type, '=');
        list->push_back(read(type.child(1)));
      }
      if (at_ < text_.size() && text_[at_] == close) break;
      expect(type, ',');
    }
    ++at_;
    return Value(std::move(list));
  }
  void expect(const LogicalType& type, char c) {
    if (at_ >= text_.size() || text_[at_] != c) wrong_cell(type, text_);
    ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

Value parse_cell(const LogicalType& type, std::string_view text) {
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return Value(std::string(text));
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return Value(parse_binary(type, text));
    case TypeRoot::kBoolean:
      if (text != "TRUE" && text != "FALSE" && text != "true" && text != "false") wrong_cell(type, text);
      return Value(text == "TRUE" || text == "true");
    case TypeRoot::kTinyint:
      return Value(static_cast<int64_t>(parse_number<int8_t>(type, text)));
    case TypeRoot::kSmallint:
      return Value(static_cast<int64_t>(parse_number<int16_t>(type, text)));
    case TypeRoot::kInteger:
      return Value(static_cast<int64_t>(parse_number<int32_t>(type, text)));
    case TypeRoot::kBigint:
      return Value(parse_number<int64_t>(type, text));
    case TypeRoot::kFloat:
    case TypeRoot::kDouble:
      return Value(parse_double(type, text));
    case TypeRoot::kDecimal: {
      const std::optional<int128> value = parse_decimal(text, type.precision(), type.scale());
      if (!value) wrong_cell(type, text);
      return Value(int128{*value});
    }
    case TypeRoot::kDate: {
      size_t at = 0;
      const int64_t days = parse_days(type, text, at);
      if (at != text.size()) wrong_cell(type, text);
      return Value(int64_t{days});
    }
    case TypeRoot::kTime:
      return Value(parse_time_of_day(type, text, 0) / 1'000'000);
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return Value(parse_timestamp(type, text));
    case TypeRoot::kIntervalYearMonth:
    case TypeRoot::kIntervalDayTime:
      return Value(parse_interval(type, text));
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
    case TypeRoot::kRow: {
      ElementReader reader(text);
      Value value = reader.read(type);
      if (!reader.at_end()) wrong_cell(type, text);
      return value;
    }
    default:
      wrong_cell(type, text);
  }
}

/// A cell of a line and whether it stood in quotes, where '.' is text.
struct Cell {
  std::string text;
  bool quoted = false;
};

std::vector<Cell> split_cells(std::string_view line) {
  std::vector<Cell> cells;
  for (size_t at = 0;;) {
    while (at < line.size() && kBlanks.find(line[at]) != std::string_view::npos) ++at;
    if (at == line.size()) return cells;
    Cell cell;
    cell.quoted = line[at] == '\'';
    if (!cell.quoted) {
      const size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      cell.text = line.substr(at, end - at);
      at = end;
    } else {
      for (++at;; ++at) {
        if (at >= line.size()) throw internal_error(9000, "row literal: a quote is open at the end of '{}'", line);
        if (line[at] == '\'' && (at + 1 == line.size() || line[at + 1] != '\'')) break;
        if (line[at] == '\'') ++at;
        cell.text.push_back(line[at]);
      }
      ++at;
    }
    cells.push_back(std::move(cell));
  }
}

RowKind parse_kind(std::string_view text) {
  for (const RowKind kind : {RowKind::kInsert, RowKind::kUpdateBefore, RowKind::kUpdateAfter, RowKind::kDelete}) {
    if (text == short_name(kind)) return kind;
  }
  throw internal_error(9000, "row literal: '{}' is no row kind; use +I, -U, +U or -D", text);
}

void append_cell_text(const Column& column, size_t row, std::string& line) {
  if (column.is_null(row)) {
    line.push_back('.');
    return;
  }
  std::string text;
  if (column.type().is_binary()) {
    text = "0x";
    for (const char byte : column.string_at(row)) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  } else {
    append_text(column, row, TimeZone(), text);
  }
  if (!text.empty() && text != "." && text.find_first_of(" \t\r\n'") == std::string::npos) {
    line += text;
    return;
  }
  line.push_back('\'');
  for (const char c : text) {
    line.push_back(c);
    if (c == '\'') line.push_back(c);
  }
  line.push_back('\'');
}

}  // namespace

std::shared_ptr<RowBatch> rows(const Schema& schema, std::string_view text) {
  std::vector<ColumnBuilder> builders;
  for (const RowField& field : schema.fields()) builders.emplace_back(field.type);
  auto batch = std::make_shared<RowBatch>();
  bool all_insert = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const std::vector<Cell> cells = split_cells(line);
    if (cells.size() != schema.size() + 1) {
      throw internal_error(9000, "row literal: '{}' has {} cells for {}", line, cells.size() - 1, schema.to_string());
    }
    batch->kinds.push_back(parse_kind(cells[0].text));
    all_insert &= batch->kinds.back() == RowKind::kInsert;
    for (size_t c = 0; c < schema.size(); ++c) {
      const Cell& cell = cells[c + 1];
      const bool null = cell.text == "." && !cell.quoted;
      builders[c].append_value(null ? Value() : parse_cell(schema[c].type, cell.text));
    }
    ++batch->num_rows;
  }
  if (all_insert) batch->kinds.clear();
  for (ColumnBuilder& builder : builders) batch->columns.push_back(builder.finish());
  return batch;
}

std::vector<std::string> row_lines(const RowBatch& batch) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < batch.num_records(); ++i) {
    const size_t row = batch.selection ? (*batch.selection)[i] : i;
    std::string line(short_name(batch.kind(row)));
    for (const ColumnPtr& column : batch.columns) {
      line.push_back(' ');
      append_cell_text(*column, row, line);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace yeoul
