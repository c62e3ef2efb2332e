#include "yeoul/state/hashmap/tables.h"

namespace yeoul {

void ValueTable::write(std::span<const uint32_t> rows, ByteWriter& out) const {
  const CellType& type = cells_.type();
  CellArray defaults(type);
  defaults.grow(1);
  for (const uint32_t row : rows) type.encode(row < cells_.size() ? cells_.at(row) : defaults.at(0), out);
}

void ValueTable::read(std::span<const uint32_t> rows, ByteReader& in) {
  for (const uint32_t row : rows) cells_.type().decode(in, cell(row));
}

void ListTable::append(uint32_t row, std::string_view element) {
  if (row >= rows_.size()) rows_.resize(row + 1);
  rows_[row].emplace_back(element);
}

void ListTable::write(std::span<const uint32_t> rows, ByteWriter& out) const {
  for (const uint32_t row : rows) {
    const std::vector<std::string>* elements = list(row);
    out.varint(elements ? elements->size() : 0);
    if (!elements) continue;
    for (const std::string& element : *elements) out.string(element);
  }
}

void ListTable::read(std::span<const uint32_t> rows, ByteReader& in) {
  for (const uint32_t row : rows) {
    for (uint64_t left = in.varint(); left != 0; --left) append(row, in.string());
  }
}

void ListTable::clear_row(uint32_t row) {
  if (row < rows_.size()) std::vector<std::string>().swap(rows_[row]);
}

}  // namespace yeoul
