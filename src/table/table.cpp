#include "yeoul/table/table.h"

#include "yeoul/builtins/builtins.h"
#include "yeoul/table/table_program.h"

namespace yeoul {
namespace {

void add_restart_options(const RestartSettings& restart, OptionMap& out) {
  const auto millis = [](int64_t ms) { return fmt::format("{} ms", ms); };
  const std::string prefix = "restart-strategy.";
  switch (restart.type) {
    case RestartSettings::Type::kUnset:
      return;
    case RestartSettings::Type::kNone:
      out[prefix + "type"] = "none";
      return;
    case RestartSettings::Type::kFixedDelay:
      out[prefix + "type"] = "fixed-delay";
      out[prefix + "fixed-delay.attempts"] = std::to_string(restart.attempts);
      out[prefix + "fixed-delay.delay"] = millis(restart.delay_ms);
      return;
    case RestartSettings::Type::kExponentialDelay:
      out[prefix + "type"] = "exponential-delay";
      out[prefix + "exponential-delay.initial-backoff"] = millis(restart.initial_backoff_ms);
      out[prefix + "exponential-delay.max-backoff"] = millis(restart.max_backoff_ms);
      out[prefix + "exponential-delay.backoff-multiplier"] = fmt::format("{}", restart.backoff_multiplier);
      out[prefix + "exponential-delay.reset-backoff-threshold"] = millis(restart.reset_backoff_threshold_ms);
      out[prefix + "exponential-delay.jitter-factor"] = fmt::format("{}", restart.jitter_factor);
      out[prefix + "exponential-delay.attempts-before-reset-backoff"] =
          std::to_string(restart.attempts_before_reset_backoff);
      return;
    case RestartSettings::Type::kFailureRate:
      out[prefix + "type"] = "failure-rate";
      out[prefix + "failure-rate.max-failures-per-interval"] = std::to_string(restart.max_failures_per_interval);
      out[prefix + "failure-rate.failure-rate-interval"] = millis(restart.failure_rate_interval_ms);
      out[prefix + "failure-rate.delay"] = millis(restart.failure_rate_delay_ms);
      return;
  }
}

/// The program's settings under their options' names.
OptionMap options_of(const EnvironmentState& state) {
  const JobConfig& config = state.config;
  const auto millis = [](int64_t ms) { return fmt::format("{} ms", ms); };
  OptionMap out{
      {"parallelism.default", std::to_string(state.plan.default_parallelism())},
      {"pipeline.max-parallelism", std::to_string(config.max_parallelism)},
      {"yeoul.batch-rows", std::to_string(config.batch_records_max)},
      {"pipeline.auto-watermark-interval", millis(config.auto_watermark_interval_ms)},
      {"execution.checkpointing.timeout", millis(config.checkpoint_timeout_ms)},
      {"execution.checkpointing.min-pause", millis(config.checkpoint_min_pause_ms)},
      {"execution.checkpointing.tolerable-failed-checkpoints", std::to_string(config.tolerable_failed_checkpoints)},
      {"execution.checkpointing.num-retained", std::to_string(config.retained_checkpoints)},
      {"execution.checkpointing.dir", config.checkpoint_directory},
      {"execution.state-recovery.ignore-unclaimed-state", config.allow_non_restored_state ? "true" : "false"}};
  if (config.checkpoint_interval_ms > 0)
    out["execution.checkpointing.interval"] = millis(config.checkpoint_interval_ms);
  add_restart_options(config.restart, out);
  return out;
}

}  // namespace

ScriptStatement only_statement(const std::string& sql) {
  const std::vector<ScriptStatement> statements = split_script(sql);
  if (statements.size() != 1) {
    throw user_error(1118, "one statement is needed here, not {}: run the statements of a script one by one",
                     statements.size());
  }
  return statements.front();
}

void check_own_table(std::string_view call, const TableProgram& program, const Table& table) {
  if (table.program().get() == &program) return;
  throw user_error(
      7128,
      "{}: the table of \"{}\" belongs to another StreamTableEnvironment, whose names mean nothing here: make "
      "it with sql_query(), from_path() or from_data_stream() of this one",
      call, table.query());
}

TableProgram::TableProgram(std::shared_ptr<EnvironmentState> given) : state(std::move(given)) {
  auto registries = std::make_shared<Registries>();
  register_connectors(registries->connectors);
  register_formats(registries->formats);
  register_state_backends(registries->state_backends);
  registries->connectors.add(make_stream_table_factory(streams));
  sql_session = std::make_unique<TableEnvironment>(std::move(registries));
  sql_session->set_graph_maker([this](const std::function<void(StreamGraph&)>& add_plans) {
    return state->plan.graph_of(state->plan.add_nodes(add_plans));
  });
}

TableEnvironment& TableProgram::session() {
  sql_session->set_environment(state->world);
  sql_session->options().set_inherited(options_of(*state));
  return *sql_session;
}

StatementResult TableProgram::execute(const std::string& sql) {
  return session().execute(only_statement(sql));
}

Schema Table::get_schema() const {
  return program_->session().plan_query(query_, nullptr).schema;
}

TableResult Table::execute() const {
  return TableResult(program_->execute(query_));
}

TableResult Table::execute_insert(const std::string& path) const {
  return TableResult(program_->execute(fmt::format("INSERT INTO {} {}", path, query_)));
}

std::string Table::explain() const {
  return program_->session().explain(only_statement(query_));
}

StatementSet& StatementSet::add_insert_sql(const std::string& insert) {
  inserts_ += only_statement(insert).text + ";\n";
  return *this;
}

StatementSet& StatementSet::add_insert(const std::string& path, const Table& table) {
  check_own_table("add_insert()", *program_, table);
  inserts_ += fmt::format("INSERT INTO {} {};\n", path, table.query());
  return *this;
}

std::string StatementSet::statement() {
  return fmt::format("EXECUTE STATEMENT SET\nBEGIN\n{}END", std::exchange(inserts_, ""));
}

TableResult StatementSet::execute() {
  return TableResult(program_->session().execute({.text = statement()}));
}

void StatementSet::attach_as_data_stream() {
  const ScriptStatement set{.text = statement()};
  StreamPlan& plan = program_->state->plan;
  plan.want(
      plan.add_nodes([&](StreamGraph& graph) { program_->session().add_inserts(set, program_->taken_uids, graph); }));
}

}  // namespace yeoul
