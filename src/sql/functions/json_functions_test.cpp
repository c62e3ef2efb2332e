#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/sql/functions/evaluator.h"
#include "yeoul/sql/functions/json_document.h"
#include "yeoul/sql/functions/json_path.h"

namespace yeoul {
namespace {

ExpressionPtr json_text(std::string value) {
  return make_literal(LogicalType::string().not_null(), Value(std::move(value)));
}
ExpressionPtr json_null(const LogicalType& type) {
  return make_literal(type.as_nullable(), Value());
}

std::string value_of(const ExpressionPtr& expression) {
  const RowBatch one({}, 1);
  const ColumnPtr column = ExpressionEvaluator({expression}, {}).evaluate(one)[0];
  return column->is_null(0) ? "NULL" : std::string(column->string_at(0));
}

std::string rewritten(std::string_view json) {
  JsonNode node;
  std::string error;
  if (!parse_json(json, node, error)) return error;
  std::string out;
  append_json(node, out);
  return out;
}

TEST(JsonFunctionsTest, DocumentsAreWrittenWithSortedFieldsAndBigDecimals) {
  EXPECT_EQ(rewritten(R"( {"z":1,"a":{"y":[1, 2.50],"x":null},"z":true} x)"),
            R"({"a":{"x":null,"y":[1,2.50]},"z":true})");
  EXPECT_EQ(rewritten(R"("\uD83D\uDE00\n\/\u0001")"), "\"\xf0\x9f\x98\x80\\n/\\u0001\"");
  EXPECT_EQ(big_decimal_text("1E400"), "1E+400");
  EXPECT_EQ(big_decimal_text("1.0E-5"), "0.000010");
  EXPECT_EQ(big_decimal_text("1.0E7"), "1.0E+7");
  EXPECT_EQ(big_decimal_text("-0.00"), "0.00");
  EXPECT_EQ(big_decimal_text("123456789.125"), "123456789.125");
}

TEST(JsonFunctionsTest, WhatIsNoJsonSaysWhere) {
  EXPECT_EQ(rewritten("tru"), "byte 0: unknown word");
  EXPECT_EQ(rewritten(R"({"a":1,})"), "byte 7: a field name in double quotes is missing");
  EXPECT_EQ(rewritten("[1"), "byte 2: ',' or ']' is missing");
  EXPECT_EQ(rewritten("\"a"), "byte 2: a string does not end");
  EXPECT_EQ(rewritten("01"), "byte 1: a number ends in something else");
  EXPECT_EQ(rewritten(std::string(5000, '[')), "byte 1001: values are nested too deeply");
}

/// What the path finds in a fixed document: JSON texts, "nothing" or the error.
std::string found(std::string_view path) {
  static const JsonNode document = [] {
    JsonNode node;
    std::string error;
    parse_json(R"({"a":1,"n":null,"d":[1,2,3],"e":{"f":"g"},"a b":{"f":7}})", node, error);
    return node;
  }();
  const JsonPathResult result = JsonPath(path).find(document);
  std::string out;
  switch (result.kind) {
    case JsonPathResult::Kind::kError:
      return result.error;
    case JsonPathResult::Kind::kNothing:
      return "nothing";
    case JsonPathResult::Kind::kNode:
      append_json(*result.node, out);
      return out;
    case JsonPathResult::Kind::kList:
      for (const JsonNode* node : result.list) append_json(*node, out += "|");
  }
  return out;
}

TEST(JsonFunctionsTest, PathsFindNodes) {
  EXPECT_EQ(found("$.e.f"), "\"g\"");
  EXPECT_EQ(found("a"), "1");
  EXPECT_EQ(found("$['a b'][\"f\"]"), "7");
  EXPECT_EQ(found("$.d[-1]"), "3");
  EXPECT_EQ(found("$.d[*]"), "|1|2|3");
  EXPECT_EQ(found("$..f"), "|\"g\"|7");
  EXPECT_EQ(found("$.n"), "nothing");
  EXPECT_EQ(found("$.d[3]"), "No results for path: no element [3]");
  EXPECT_EQ(found("lax $.e.x.y"), "nothing");
  EXPECT_EQ(found("strict $.e.x.y"), "No results for path: no field 'x'");
  EXPECT_EQ(found("$.d[?(@>1)]"), "JSON path '$.d[?(@>1)]' is not understood at character 5");
}

TEST(JsonFunctionsTest, ValuesDefaultsAndErrors) {
  const auto json_value = [](const char* path, const char* on_empty, const char* on_error) {
    return make_call("JSON_VALUE",
                     {json_text(R"({"a":1.50,"d":[1]})"), json_text(path), json_text(on_empty), json_text("empty"),
                      json_text(on_error), json_text("error"), json_null(LogicalType::string())});
  };
  EXPECT_EQ(value_of(json_value("$.a", "NULL", "NULL")), "1.50");
  EXPECT_EQ(value_of(json_value("$.x", "DEFAULT", "NULL")), "NULL");
  EXPECT_EQ(value_of(json_value("$.x", "DEFAULT", "DEFAULT")), "error");
  EXPECT_EQ(value_of(json_value("lax $.x", "DEFAULT", "DEFAULT")), "empty");
  EXPECT_THROW(value_of(json_value("$.d", "NULL", "ERROR")), Error);
  EXPECT_THROW(value_of(json_value("lax $.d", "ERROR", "NULL")), Error);
}

TEST(JsonFunctionsTest, NestedConstructorsAreJson) {
  const ExpressionPtr inner =
      make_call("JSON_ARRAY", {json_text("ABSENT"), json_null(LogicalType::integer()), json_text("x")});
  EXPECT_EQ(value_of(inner), R"(["x"])");
  EXPECT_EQ(
      value_of(make_call("JSON_OBJECT", {json_text("NULL"), json_text("k"), inner, json_text("b"),
                                         json_null(LogicalType::integer()), json_text("a"), json_text(R"([1]")")})),
      R"({"a":"[1]\"","b":null,"k":["x"]})");
}

}  // namespace
}  // namespace yeoul
