#include "yeoul/sql/functions/evaluator.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

using Literals = std::unordered_map<const Expression*, ColumnPtr>;

/// A column of the frame's rows, or one cell that stands for all of them.
struct Operand {
  ColumnPtr column;
  bool constant = false;
};

/// The rows an expression is computed for: those of the batch, or some of a parent's. Columns are gathered when read.
class Frame {
 public:
  explicit Frame(const RowBatch& batch)
      : num_rows_(batch.num_records()), columns_(batch.columns.size()), batch_(batch) {
    if (batch.selection) {
      rows_ = *batch.selection;
    } else {
      columns_ = batch.columns;
    }
  }
  /// `rows` are numbers in the parent's frame.
  Frame(Frame& parent, std::span<const uint32_t> rows)
      : num_rows_(rows.size()), columns_(parent.columns_.size()), batch_(parent.batch_) {
    rows_.reserve(rows.size());
    for (const uint32_t row : rows) rows_.push_back(parent.batch_row(row));
  }

  size_t num_rows() const { return num_rows_; }
  uint32_t batch_row(uint32_t row) const { return rows_.empty() ? row : rows_[row]; }
  const ColumnPtr& column(int index) {
    ColumnPtr& column = columns_[static_cast<size_t>(index)];
    if (!column) column = take(*batch_.columns[static_cast<size_t>(index)], rows_);
    return column;
  }

 private:
  size_t num_rows_;
  std::vector<ColumnPtr> columns_;
  std::vector<uint32_t> rows_;  ///< numbers in the batch's columns; empty: all
  const RowBatch& batch_;
};

/// One evaluation of one expression over one batch.
class Evaluation {
 public:
  Evaluation(const EvaluationConfig& config, Literals& literals) : config_(config), literals_(literals) {}

  Operand evaluate(const ExpressionPtr& expression, Frame& frame) {
    const Expression& e = *expression;
    switch (e.kind) {
      case Expression::Kind::kInputRef:
        return {frame.column(e.index), false};
      case Expression::Kind::kLiteral:
        return literal(e);
      case Expression::Kind::kCall:
      case Expression::Kind::kCast:
      case Expression::Kind::kTryCast:
        return call(e, frame);
      case Expression::Kind::kCase:
        return conditional(e, frame);
      case Expression::Kind::kCoalesce:
        return coalesce(e, frame);
      case Expression::Kind::kAnd:
        return junction(e, frame, 0);
      case Expression::Kind::kOr:
        return junction(e, frame, 1);
    }
    return {};
  }

  /// Errors by batch row.
  const std::vector<RowError>& errors() const { return errors_; }

 private:
  Operand literal(const Expression& e) {
    ColumnPtr& column = literals_[&e];
    if (!column) column = repeat(e.type, e.value, 1);
    return {column, true};
  }

  Operand call(const Expression& e, Frame& frame) {
    if (e.kernel == nullptr) return evaluate(e.arguments[0], frame);  // a cast that changes no cell
    std::vector<Operand> operands;
    std::vector<Argument> arguments;
    bool constant = e.deterministic && !e.arguments.empty();
    operands.reserve(e.arguments.size());
    for (const ExpressionPtr& argument : e.arguments) {
      operands.push_back(evaluate(argument, frame));
      arguments.push_back({operands.back().column.get(), operands.back().constant});
      constant &= operands.back().constant;
    }
    if (constant && frame.num_rows() == 0) return {repeat(e.type.as_nullable(), Value(), 1), true};
    KernelContext context(config_);
    Operand result{e.kernel(context, e, arguments, constant ? 1 : frame.num_rows()), constant};
    if (e.kind != Expression::Kind::kTryCast) {
      for (RowError& error : context.errors()) {
        errors_.push_back({frame.batch_row(error.row), std::move(error.message)});
      }
    }
    return result;
  }

  /// Evaluates for some rows of the frame only; `position` maps the frame's rows to cells of the result where it was
  /// gathered.
  struct Branch {
    Operand operand;
    bool gathered = false;
  };
  Branch evaluate_for(const ExpressionPtr& e, Frame& frame, std::span<const uint32_t> rows) {
    if (!e->can_fail || rows.size() == frame.num_rows()) return {evaluate(e, frame), false};
    Frame part(frame, rows);
    Branch branch{evaluate(e, part), true};
    if (branch.operand.constant) branch.gathered = false;
    return branch;
  }

  /// Puts a result together: row i is cell `cells[i]` of the concatenation of the branches' columns.
  static ColumnPtr assemble(const LogicalType& type, std::span<const ColumnPtr> columns,
                            std::span<const uint32_t> cells) {
    const ColumnPtr all = columns.size() == 1 ? columns[0] : concat(columns);
    const ColumnPtr taken = take(*all, cells);
    // Just made and not shared yet, so it may be named anew without a copy.
    const_cast<Column&>(*taken).set_type(type);
    return taken;
  }

  struct Assembly {
    explicit Assembly(size_t num_rows) : cells(num_rows) {}
    /// `rows` of the frame take their cells from the branch.
    void add(const Branch& branch, std::span<const uint32_t> rows) {
      columns.push_back(branch.operand.column);
      for (size_t i = 0; i < rows.size(); ++i) {
        cells[rows[i]] = base + (branch.operand.constant ? 0u : branch.gathered ? static_cast<uint32_t>(i) : rows[i]);
      }
      base += static_cast<uint32_t>(branch.operand.column->size());
    }
    std::vector<ColumnPtr> columns;
    std::vector<uint32_t> cells;
    uint32_t base = 0;
  };

  static std::vector<uint32_t> all_rows(size_t n) {
    std::vector<uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
  }

  Operand conditional(const Expression& e, Frame& frame) {
    std::vector<uint32_t> open = all_rows(frame.num_rows());
    Assembly assembly(frame.num_rows());
    for (size_t at = 0; at + 1 < e.arguments.size() && !open.empty(); at += 2) {
      const Branch when = evaluate_for(e.arguments[at], frame, open);
      const Column& condition = *when.operand.column;
      std::vector<uint32_t> taken;
      std::vector<uint32_t> rest;
      for (size_t i = 0; i < open.size(); ++i) {
        const size_t cell = when.operand.constant ? 0 : when.gathered ? i : open[i];
        const bool holds = condition.is_valid(cell) && condition.values<uint8_t>()[cell] != 0;
        (holds ? taken : rest).push_back(open[i]);
      }
      if (!taken.empty()) assembly.add(evaluate_for(e.arguments[at + 1], frame, taken), taken);
      open = std::move(rest);
    }
    if (!open.empty()) assembly.add(evaluate_for(e.arguments.back(), frame, open), open);
    if (assembly.columns.empty()) return {repeat(e.type.as_nullable(), Value(), 0), false};
    return {assemble(e.type, assembly.columns, assembly.cells), false};
  }

  Operand coalesce(const Expression& e, Frame& frame) {
    std::vector<uint32_t> open = all_rows(frame.num_rows());
    Assembly assembly(frame.num_rows());
    for (size_t at = 0; at < e.arguments.size() && !open.empty(); ++at) {
      const Branch branch = evaluate_for(e.arguments[at], frame, open);
      const bool last = at + 1 == e.arguments.size();
      const Column& column = *branch.operand.column;
      if (at == 0 && !column.may_have_nulls()) {
        return {with_type(branch.operand.column, e.type), branch.operand.constant};
      }
      std::vector<uint32_t> rest;
      for (size_t i = 0; i < open.size(); ++i) {
        const size_t cell = branch.operand.constant ? 0 : branch.gathered ? i : open[i];
        if (column.is_null(cell) && !last) {
          rest.push_back(open[i]);
        } else {
          assembly.cells[open[i]] = assembly.base + static_cast<uint32_t>(cell);
        }
      }
      assembly.columns.push_back(branch.operand.column);
      assembly.base += static_cast<uint32_t>(column.size());
      open = std::move(rest);
    }
    if (assembly.columns.empty()) return {repeat(e.type.as_nullable(), Value(), 0), false};
    return {assemble(e.type, assembly.columns, assembly.cells), false};
  }

  /// AND (`decided` 0) and OR (`decided` 1): a cell is the deciding value, the other, or NULL (coded 2 meanwhile).
  Operand junction(const Expression& e, Frame& frame, uint8_t decided) {
    const size_t n = frame.num_rows();
    std::vector<uint8_t> cells(n, static_cast<uint8_t>(1 - decided));
    for (size_t at = 0; at < e.arguments.size(); ++at) {
      const ExpressionPtr& argument = e.arguments[at];
      if (at == 0 || !argument->can_fail) {
        const Operand operand = evaluate(argument, frame);
        merge_all(operand, decided, cells);
        continue;
      }
      std::vector<uint32_t> open;
      for (size_t i = 0; i < n; ++i) {
        if (cells[i] != decided) open.push_back(static_cast<uint32_t>(i));
      }
      if (open.empty()) break;
      const Branch branch = evaluate_for(argument, frame, open);
      for (size_t i = 0; i < open.size(); ++i) {
        merge_cell(branch.operand, branch.gathered ? i : open[i], decided, cells[open[i]]);
      }
    }
    auto out = std::make_shared<Column>(e.type, n);
    uint8_t* values = out->allocate_values<uint8_t>();
    uint8_t any_null = 0;
    for (size_t i = 0; i < n; ++i) {
      values[i] = cells[i] & 1;
      any_null |= cells[i] & 2;
    }
    for (size_t i = 0; any_null != 0 && i < n; ++i) {
      if (cells[i] == 2) out->set_null(i);
    }
    return {out, false};
  }

  static void merge_cell(const Operand& operand, size_t row, uint8_t decided, uint8_t& cell) {
    const size_t at = operand.constant ? 0 : row;
    if (operand.column->is_null(at)) {
      if (cell != decided) cell = 2;
    } else if (operand.column->values<uint8_t>()[at] == decided) {
      cell = decided;
    }
  }

  static void merge_all(const Operand& operand, uint8_t decided, std::vector<uint8_t>& cells) {
    const size_t n = cells.size();
    if (operand.constant || operand.column->may_have_nulls()) {
      for (size_t i = 0; i < n; ++i) merge_cell(operand, i, decided, cells[i]);
      return;
    }
    const uint8_t* values = operand.column->values<uint8_t>();
    for (size_t i = 0; i < n; ++i) cells[i] = values[i] == decided ? decided : cells[i];
  }

  const EvaluationConfig& config_;
  Literals& literals_;
  std::vector<RowError> errors_;
};

Operand evaluate_checked(const ExpressionPtr& expression, Frame& frame, const EvaluationConfig& config,
                         Literals& literals) {
  Evaluation evaluation(config, literals);
  Operand operand = evaluation.evaluate(expression, frame);
  if (!evaluation.errors().empty()) {
    const auto first = std::min_element(evaluation.errors().begin(), evaluation.errors().end(),
                                        [](const RowError& a, const RowError& b) { return a.row < b.row; });
    throw user_error(3100, "{}: {}", expression->to_string(), first->message);
  }
  return operand;
}

}  // namespace

ExpressionEvaluator::ExpressionEvaluator(std::vector<ExpressionPtr> expressions, EvaluationConfig config)
    : expressions_(std::move(expressions)), config_(std::move(config)) {}

std::vector<ColumnPtr> ExpressionEvaluator::evaluate(const RowBatch& batch) {
  Frame frame(batch);
  std::vector<ColumnPtr> columns;
  columns.reserve(expressions_.size());
  if (frame.num_rows() == 0) {
    for (const ExpressionPtr& e : expressions_) columns.push_back(repeat(e->type.as_nullable(), Value(), 0));
    return columns;
  }
  for (const ExpressionPtr& e : expressions_) {
    Operand operand = evaluate_checked(e, frame, config_, literals_);
    if (operand.constant) {
      const std::vector<uint32_t> zeros(frame.num_rows(), 0);
      operand.column = take(*operand.column, zeros);
    }
    columns.push_back(std::move(operand.column));
  }
  return columns;
}

Selection ExpressionEvaluator::select(const RowBatch& batch) {
  Frame frame(batch);
  const size_t n = frame.num_rows();
  Selection selection;
  if (n == 0) return selection;
  const Operand operand = evaluate_checked(expressions_.front(), frame, config_, literals_);
  const Column& column = *operand.column;
  if (column.type().is(TypeRoot::kNull)) return selection;
  const uint8_t* values = column.values<uint8_t>();
  selection.resize(n);
  size_t count = 0;
  if (operand.constant || column.may_have_nulls()) {
    for (size_t i = 0; i < n; ++i) {
      const size_t at = operand.constant ? 0 : i;
      selection[count] = frame.batch_row(static_cast<uint32_t>(i));
      count += column.is_valid(at) && values[at] != 0 ? 1 : 0;
    }
  } else {
    for (size_t i = 0; i < n; ++i) {
      selection[count] = frame.batch_row(static_cast<uint32_t>(i));
      count += values[i];
    }
  }
  selection.resize(count);
  return selection;
}

ExpressionPtr fold_constants(const ExpressionPtr& expression, const EvaluationConfig& config) {
  if (expression->arguments.empty() || expression->kind == Expression::Kind::kLiteral) return expression;
  std::shared_ptr<Expression> copy;
  bool all_literals = expression->deterministic;
  for (size_t i = 0; i < expression->arguments.size(); ++i) {
    const ExpressionPtr folded = fold_constants(expression->arguments[i], config);
    if (folded != expression->arguments[i]) {
      if (!copy) copy = std::make_shared<Expression>(*expression);
      copy->arguments[i] = folded;
    }
    all_literals &= folded->kind == Expression::Kind::kLiteral;
  }
  const ExpressionPtr current = copy ? ExpressionPtr(copy) : expression;
  if (!all_literals) return current;
  const RowBatch one({}, 1);
  try {
    ExpressionEvaluator evaluator({current}, config);
    const ColumnPtr column = evaluator.evaluate(one)[0];
    return make_literal(current->type, column->is_null(0) ? Value() : column->value_at(0));
  } catch (const Error&) {
    return current;  // it fails where Flink lets it fail: at run time, and only for rows that need it
  }
}

}  // namespace yeoul
