#include <memory>

#include "yeoul/common/utf8.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/registry.h"
#include "yeoul/sql/functions/regular_expression.h"

namespace yeoul {

namespace {

/// A LIKE pattern. Most are a text with % at one end or both; those compare bytes.
class LikePattern {
 public:
  /// `escape` 0: none. On a dangling escape nothing matches; the resolver refuses such constants.
  LikePattern(std::string_view pattern, char escape) {
    std::string run;
    bool escaped = false;
    for (const char c : pattern) {
      if (!escaped && escape != 0 && c == escape) {
        escaped = true;
        continue;
      }
      if (!escaped && (c == '%' || c == '_')) {
        flush(run);
        parts_.push_back({c == '%' ? Part::kMany : Part::kOne, {}});
      } else {
        run += c;
      }
      escaped = false;
    }
    flush(run);
    classify();
  }

  bool matches(std::string_view text) const {
    switch (shape_) {
      case Shape::kEquals:
        return text == literal_;
      case Shape::kPrefix:
        return text.starts_with(literal_);
      case Shape::kSuffix:
        return text.ends_with(literal_);
      case Shape::kContains:
        return text.find(literal_) != std::string_view::npos;
      case Shape::kAll:
        return true;
      case Shape::kGeneral:
        return matches_parts(text);
    }
    return false;
  }

 private:
  enum class Shape : uint8_t { kEquals, kPrefix, kSuffix, kContains, kAll, kGeneral };
  struct Part {
    enum Kind : uint8_t { kText, kOne, kMany } kind;
    std::string text;
  };

  void flush(std::string& run) {
    if (!run.empty()) parts_.push_back({Part::kText, std::move(run)});
    run.clear();
  }

  void classify() {
    const size_t n = parts_.size();
    const auto is = [&](size_t i, Part::Kind kind) { return parts_[i].kind == kind; };
    if (n == 0) shape_ = Shape::kEquals;
    if (n == 1 && is(0, Part::kMany)) shape_ = Shape::kAll;
    if (n == 1 && is(0, Part::kText)) use(Shape::kEquals, 0);
    if (n == 2 && is(0, Part::kText) && is(1, Part::kMany)) use(Shape::kPrefix, 0);
    if (n == 2 && is(0, Part::kMany) && is(1, Part::kText)) use(Shape::kSuffix, 1);
    if (n == 3 && is(0, Part::kMany) && is(1, Part::kText) && is(2, Part::kMany)) use(Shape::kContains, 1);
  }

  void use(Shape shape, size_t part) {
    shape_ = shape;
    literal_ = parts_[part].text;
  }

  /// Greedy with one point to come back to: the last %.
  bool matches_parts(std::string_view text) const {
    size_t part = 0;
    size_t at = 0;
    size_t star = parts_.size();
    size_t star_at = 0;
    while (true) {
      if (part == parts_.size() && at == text.size()) return true;
      if (part < parts_.size() && parts_[part].kind == Part::kMany) {
        star = part++;
        star_at = at;
        continue;
      }
      if (part < parts_.size() && parts_[part].kind == Part::kOne && at < text.size() && text[at] != '\n') {
        at += utf8_width(text[at]);
        ++part;
        continue;
      }
      if (part < parts_.size() && parts_[part].kind == Part::kText && text.substr(at).starts_with(parts_[part].text)) {
        at += parts_[part].text.size();
        ++part;
        continue;
      }
      if (star == parts_.size() || star_at >= text.size()) return false;
      star_at += utf8_width(text[star_at]);
      at = star_at;
      part = star + 1;
    }
  }

  std::vector<Part> parts_;
  std::string literal_;
  Shape shape_ = Shape::kGeneral;
};

char escape_at(std::span<const Argument> arguments, size_t i) {
  if (arguments.size() < 3) return 0;
  const std::string_view escape = arguments[2].column->string_at(arguments[2].row(i));
  return escape.empty() ? '\0' : escape[0];
}

template <bool kNegated>
ColumnPtr like(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  std::optional<LikePattern> fixed;
  const bool constant = arguments[1].constant && (arguments.size() < 3 || arguments[2].constant);
  if (constant && n > 0) fixed.emplace(pattern[0], escape_at(arguments, 0));
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> uint8_t {
    const bool matches =
        fixed ? fixed->matches(text[i]) : LikePattern(pattern[i], escape_at(arguments, i)).matches(text[i]);
    return matches != kNegated;
  });
}

void check_escape(const Arguments& arguments) {
  if (arguments.size() < 3 || arguments[1]->kind != Expression::Kind::kLiteral ||
      arguments[2]->kind != Expression::Kind::kLiteral || arguments[1]->value.is_null() ||
      arguments[2]->value.is_null()) {
    return;
  }
  const std::string& pattern = arguments[1]->value.string();
  const std::string& escape = arguments[2]->value.string();
  if (escape.empty()) return;
  if (utf8_length(escape) > 1) throw user_error(1103, "Invalid escape character '{}'", escape);
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != escape[0]) continue;
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next != '%' && next != '_' && next != escape[0]) {
      throw user_error(1103, "Invalid escape sequence '{}', {}", pattern, i);
    }
    ++i;
  }
}

ExpressionPtr resolve_pattern(const Function& function, Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) fail_arguments(function.name, arguments);
  bool any_null = false;
  for (ExpressionPtr& argument : arguments) {
    any_null |= argument->type.is(TypeRoot::kNull);
    if (!argument->type.is_string() && !argument->type.is(TypeRoot::kNull)) {
      fail_arguments(function.name, arguments, "'<STRING> LIKE <STRING>'");
    }
  }
  if (any_null) return make_literal(LogicalType::boolean(), Value());
  check_escape(arguments);
  const LogicalType type = LogicalType::boolean().as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, function.kernel, std::move(arguments), function.can_fail);
}

/// The regular expression of a SIMILAR TO pattern, without its escape character.
std::string similar_to_regex(std::string_view pattern, char escape) {
  std::string regex;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (escape != 0 && c == escape && i + 1 < pattern.size()) {
      regex += '\\';
      regex += pattern[++i];
    } else if (in_class) {
      if (pattern.substr(i).starts_with("[:")) {
        const size_t end = pattern.find(":]", i);
        if (end == std::string_view::npos) return "[";
        std::string name(pattern.substr(i + 2, end - i - 2));
        for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        if (name == "digit") regex += "0-9";
        if (name == "alpha") regex += "A-Za-z";
        if (name == "alnum") regex += "A-Za-z0-9";
        if (name == "upper") regex += "A-Z";
        if (name == "lower") regex += "a-z";
        if (name == "space" || name == "whitespace") regex += "\\s";
        i = end + 1;
        continue;
      }
      in_class = c != ']';
      regex += c;
    } else if (c == '%') {
      regex += "(?:.|\\n)*";
    } else if (c == '_') {
      regex += '.';
    } else if (c == '\\' || c == '^' || c == '$') {
      regex += '\\';
      regex += c;
    } else {
      in_class = c == '[';
      regex += c;
    }
  }
  return regex;
}

template <bool kNegated>
ColumnPtr similar_to(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader text(arguments[0]);
  const StringReader pattern(arguments[1]);
  RegularExpressionCache cache;
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> std::optional<uint8_t> {
    const RegularExpression* regex = cache.get(similar_to_regex(pattern[i], escape_at(arguments, i)));
    if (regex == nullptr) {
      context.row_error(static_cast<uint32_t>(i), fmt::format("Invalid regular expression: {}", pattern[i]));
      return std::nullopt;
    }
    return static_cast<uint8_t>(regex->matches(text[i]) != kNegated);
  });
}

constexpr Function kLikeFunctions[] = {
    {.name = "LIKE", .kernel = like<false>, .resolver = resolve_pattern},
    {.name = "NOT LIKE", .kernel = like<true>, .resolver = resolve_pattern},
    {.name = "SIMILAR TO", .kernel = similar_to<false>, .can_fail = true, .resolver = resolve_pattern},
    {.name = "NOT SIMILAR TO", .kernel = similar_to<true>, .can_fail = true, .resolver = resolve_pattern},
};

}  // namespace

std::span<const Function> like_functions() {
  return kLikeFunctions;
}

}  // namespace yeoul
