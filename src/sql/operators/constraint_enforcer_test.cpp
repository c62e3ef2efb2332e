#include "yeoul/sql/operators/constraint_enforcer.h"

#include <gtest/gtest.h>

#include "yeoul/sql/operators/operator_runner_test.h"

namespace yeoul {
namespace {

using Length = ConstraintEnforcerSpec::Length;

const Schema kNumberAndText({{"a", LogicalType::integer()}, {"s", LogicalType::string()}});

template <class Function>
std::string error_of(int code, Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.family(), ErrorFamily::kUser);
    return error.message();
  }
  return "no error";
}

TEST(ConstraintEnforcer, Case584NullIsAnErrorInFlinksWords) {
  const Schema sink({{"m", LogicalType::integer().not_null()}, {"s", LogicalType::string()}});
  OperatorRunner runner(make_constraint_enforcer({.columns = sink, .not_null = {0}}), kNumberAndText);
  EXPECT_EQ(runner.run("+I 1 ."), lines("+I 1 ."));
  EXPECT_EQ(error_of(3110, [&] { runner.run("+I 1 x\n+I . x"); }),
            "Column 'm' is NOT NULL, however, a null value is being written into it. You can set job configuration "
            "'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently.");
}

TEST(ConstraintEnforcer, ARowThatIsNotSelectedMayHoldNull) {
  OperatorRunner runner(make_constraint_enforcer({.columns = kNumberAndText, .not_null = {0}}), kNumberAndText);
  const auto batch = rows(kNumberAndText, "+I . x\n+I 2 y");
  batch->selection = std::make_shared<const Selection>(Selection{1});
  EXPECT_EQ(runner.run(batch), lines("+I 2 y"));
}

TEST(ConstraintEnforcer, DropsNulls) {
  OperatorRunner runner(make_constraint_enforcer({.columns = kNumberAndText, .not_null = {0, 1}, .drop_nulls = true}),
                        kNumberAndText);
  EXPECT_EQ(runner.run("+I 1 x\n+I . x\n-U 2 .\n+U 3 z"), lines("+I 1 x\n+U 3 z"));
  EXPECT_EQ(runner.run("+I . ."), lines(""));
}

TEST(ConstraintEnforcer, TrimsAndPads) {
  const Schema input({{"c", LogicalType::string()}, {"v", LogicalType::string()}});
  const Schema sink({{"c", LogicalType::char_(3)}, {"v", LogicalType::varchar(2)}});
  OperatorRunner runner(make_constraint_enforcer({.columns = sink, .length = Length::kTrimPad}), input);
  EXPECT_EQ(runner.run("+I abcd xyz\n+I 여울 가나다\n+I . ."), lines("+I abc xy\n+I '여울 ' 가나\n+I . ."));
  OperatorRunner ignoring(make_constraint_enforcer({.columns = sink}), input);
  EXPECT_EQ(ignoring.run("+I abcd xyz"), lines("+I abcd xyz"));
}

TEST(ConstraintEnforcer, RefusesLengths) {
  const Schema input({{"c", LogicalType::string()}, {"v", LogicalType::string()}});
  const Schema sink({{"c", LogicalType::char_(3)}, {"v", LogicalType::varchar(2)}});
  OperatorRunner runner(make_constraint_enforcer({.columns = sink, .length = Length::kThrow}), input);
  EXPECT_EQ(runner.run("+I abc x"), lines("+I abc x"));
  EXPECT_EQ(error_of(3111, [&] { runner.run("+I abc 가나다"); }),
            "Column 'v' is VARCHAR(2), however, a string of length 3 is being written into it. You can set job "
            "configuration 'table.exec.sink.type-length-enforcer' to control this behaviour.");
  EXPECT_NE(error_of(3111, [&] { runner.run("+I ab x"); }).find("CHAR(3)"), std::string::npos);
}

}  // namespace
}  // namespace yeoul
