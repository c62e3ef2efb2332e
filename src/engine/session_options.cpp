#include "yeoul/engine/session_options.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "yeoul/common/ascii.h"
#include "yeoul/common/java_options.h"
#include "yeoul/common/local_path.h"

namespace yeoul {
namespace {

using enum OptionTreatment;

constexpr std::string_view kOneProcess = "Yeoul is one process without job and task managers";
constexpr std::string_view kNoJvm = "there is no JVM";
constexpr std::string_view kNoBatch = "there is no batch engine: a bounded job is a stream that ends";
constexpr std::string_view kClientOnly = "it configures Flink's interactive client";
constexpr std::string_view kJavaOptions = "env.java.opts";
constexpr std::string_view kPlanner = "Yeoul's planner has no such choice";

// Sorted by key.
constexpr SessionOption kRows[] = {
    {"akka.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"blob.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"classloader.*", kAccepted, OptionType::kString, "", kNoJvm},
    {"client.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"cluster.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"env.java.opts*", kHonoured, OptionType::kString, "",
     "-Djava.security.auth.login.config=FILE and -Djava.security.krb5.conf=FILE; all else has no effect."},
    {"env.*", kAccepted, OptionType::kString, "", kNoJvm},
    {"execution.attached", kAccepted, OptionType::kBoolean, "", kOneProcess},
    {"execution.batch-shuffle-mode", kAccepted, OptionType::kString, "", kNoBatch},
    {"execution.batch.*", kAccepted, OptionType::kString, "", kNoBatch},
    {"execution.buffer-timeout.*", kAccepted, OptionType::kString, "", "a batch never waits (D2)"},
    {"execution.checkpointing.aligned-checkpoint-timeout", kAccepted, OptionType::kDuration, "",
     "checkpoints are always aligned"},
    {"execution.checkpointing.checkpoints-after-tasks-finish", kAccepted, OptionType::kBoolean, "", "it is always so"},
    {"execution.checkpointing.cleaner.*", kAccepted, OptionType::kString, "", "old checkpoints are removed by the job"},
    {"execution.checkpointing.create-subdir", kAccepted, OptionType::kString, "",
     "checkpoints lie in <dir>/<job name>/<job id>"},
    {"execution.checkpointing.data-inline-threshold", kAccepted, OptionType::kString, "",
     "small state is in the metadata already"},
    {"execution.checkpointing.dir", kHonoured, OptionType::kString, "yeoul-state", "Folder of checkpoints."},
    {"execution.checkpointing.externalized-checkpoint-retention", kAccepted, OptionType::kString, "",
     "the last checkpoint is always kept"},
    {"execution.checkpointing.file-merging.*", kAccepted, OptionType::kString, "", "checkpoints are few files already"},
    {"execution.checkpointing.incremental", kAccepted, OptionType::kBoolean, "",
     "the hashmap backend writes whole snapshots"},
    {"execution.checkpointing.interval", kHonoured, OptionType::kDuration, "",
     "Time between checkpoints; unset: none are made."},
    {"execution.checkpointing.interval-during-backlog", kAccepted, OptionType::kDuration, "",
     "the same interval always holds"},
    {"execution.checkpointing.local-backup.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"execution.checkpointing.max-concurrent-checkpoints", kAccepted, OptionType::kInt, "",
     "one checkpoint runs at a time"},
    {"execution.checkpointing.min-pause", kHonoured, OptionType::kDuration, "0 ms",
     "Shortest time between two checkpoints."},
    {"execution.checkpointing.mode", kHonoured, OptionType::kString, "EXACTLY_ONCE",
     "EXACTLY_ONCE or AT_LEAST_ONCE; state is exactly once in both."},
    {"execution.checkpointing.num-retained", kHonoured, OptionType::kInt, "1", "Completed checkpoints that are kept."},
    {"execution.checkpointing.savepoint-dir", kRefused, OptionType::kString, "", "savepoints are not supported yet"},
    {"execution.checkpointing.snapshot-compression", kAccepted, OptionType::kString, "",
     "checkpoints are not compressed"},
    {"execution.checkpointing.storage", kAccepted, OptionType::kString, "", "checkpoints are always files"},
    {"execution.checkpointing.timeout", kHonoured, OptionType::kDuration, "10 min",
     "A checkpoint that takes longer is given up."},
    {"execution.checkpointing.tolerable-failed-checkpoints", kHonoured, OptionType::kInt, "0",
     "Failed checkpoints in a row before the job fails."},
    {"execution.checkpointing.unaligned.*", kAccepted, OptionType::kString, "", "checkpoints are always aligned"},
    {"execution.checkpointing.write-buffer-size", kAccepted, OptionType::kString, "",
     "files are written in large parts"},
    {"execution.job-listeners", kAccepted, OptionType::kString, "", kNoJvm},
    {"execution.job-status-changed-listeners", kAccepted, OptionType::kString, "", kNoJvm},
    {"execution.program-config.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"execution.runtime-mode", kHonoured, OptionType::kString, "STREAMING",
     "STREAMING; a bounded job is a stream that ends."},
    {"execution.shutdown-on-application-finish", kAccepted, OptionType::kBoolean, "", kOneProcess},
    {"execution.sorted-inputs.*", kAccepted, OptionType::kString, "", kNoBatch},
    {"execution.state-recovery.claim-mode", kAccepted, OptionType::kString, "",
     "a restored checkpoint is never changed"},
    {"execution.state-recovery.ignore-unclaimed-state", kHonoured, OptionType::kBoolean, "false",
     "Restore although some state matches no operator."},
    {"execution.state-recovery.path", kHonoured, OptionType::kString, "", "A checkpoint to start from."},
    {"execution.submit-failed-job-on-application-error", kAccepted, OptionType::kString, "", kOneProcess},
    {"execution.target", kAccepted, OptionType::kString, "", kOneProcess},
    {"fs.*", kAccepted, OptionType::kString, "", "only local files are supported"},
    {"heartbeat.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"high-availability.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"historyserver.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"io.tmp.dirs", kAccepted, OptionType::kString, "", "no temporary files are made"},
    {"job-event.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"java.security.auth.login.config", kHonoured, OptionType::kString, "",
     "A JAAS file: its section KafkaClient is the login of Kafka's clients without sasl.jaas.config."},
    {"java.security.krb5.conf", kHonoured, OptionType::kString, "", "Kerberos' configuration."},
    {"javax.security.auth.useSubjectCredsOnly", kAccepted, OptionType::kBoolean, "", kNoJvm},
    {"jobmanager.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"kubernetes.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"metrics.reporter.prom.factory.class", kAccepted, OptionType::kString, "", "it is part of the program"},
    {"metrics.reporter.prom.filterLabelValueCharacters", kHonoured, OptionType::kBoolean, "true",
     "Whether what is no letter, digit, ':' or '_' in a label's value becomes '_'."},
    {"metrics.reporter.prom.port", kHonoured, OptionType::kString, "",
     "Port, or range of ports, on 127.0.0.1 where Prometheus finds metrics; unset: nowhere."},
    {"metrics.reporters", kAccepted, OptionType::kString, "",
     "the reporter is 'prom'; 'metrics.reporter.prom.port' starts it"},
    {"metrics.*", kAccepted, OptionType::kString, "", "the only reporter is 'prom'"},
    {"parallelism.default", kHonoured, OptionType::kInt, "1", "Parallelism of operators."},
    {"pekko.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"pipeline.auto-generate-uids", kAccepted, OptionType::kString, "", "SQL gives every operator a uid"},
    {"pipeline.auto-type-registration", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.auto-watermark-interval", kHonoured, OptionType::kDuration, "200 ms", "Time between watermarks."},
    {"pipeline.cached-files", kAccepted, OptionType::kString, "", kOneProcess},
    {"pipeline.classpaths", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.closure-cleaner-level", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.default-kryo-serializers", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.force-avro", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.force-kryo", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.force-kryo-avro", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.generic-types", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.global-job-parameters", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.jars", kAccepted, OptionType::kString, "", "connectors are part of the program"},
    {"pipeline.jobvertex-parallelism-overrides", kAccepted, OptionType::kString, "", "set parallelism.default"},
    {"pipeline.max-parallelism", kHonoured, OptionType::kInt, "-1", "Number of key groups; -1: Flink's default."},
    {"pipeline.name", kHonoured, OptionType::kString, "", "The job's name."},
    {"pipeline.object-reuse", kAccepted, OptionType::kBoolean, "",
     "batches are never copied between chained operators"},
    {"pipeline.operator-chaining.*", kAccepted, OptionType::kString, "", "operators are always chained"},
    {"pipeline.registered-*", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.serialization-config", kAccepted, OptionType::kString, "", kNoJvm},
    {"pipeline.vertex-description-mode", kAccepted, OptionType::kString, "", kClientOnly},
    {"pipeline.vertex-name-include-index-prefix", kAccepted, OptionType::kString, "", kClientOnly},
    {"pipeline.watermark-alignment.*", kAccepted, OptionType::kString, "",
     "splits are always aligned where their source is"},
    {"process.*", kAccepted, OptionType::kString, "", kNoJvm},
    {"python.*", kAccepted, OptionType::kString, "", "there is no Python worker"},
    {"queryable-state.*", kAccepted, OptionType::kString, "", "state cannot be queried"},
    {"rest.*", kAccepted, OptionType::kString, "", "the REST API is not supported yet"},
    {"restart-strategy.exponential-delay.attempts-before-reset-backoff", kHonoured, OptionType::kInt, "2147483647",
     "Restarts without a rest between them before the job fails."},
    {"restart-strategy.exponential-delay.backoff-multiplier", kHonoured, OptionType::kDouble, "1.5",
     "How many times longer each wait is than the one before."},
    {"restart-strategy.exponential-delay.initial-backoff", kHonoured, OptionType::kDuration, "1 s", "The first wait."},
    {"restart-strategy.exponential-delay.jitter-factor", kHonoured, OptionType::kDouble, "0.1",
     "Part of a wait that is added or left out at random."},
    {"restart-strategy.exponential-delay.max-backoff", kHonoured, OptionType::kDuration, "1 min", "The longest wait."},
    {"restart-strategy.exponential-delay.reset-backoff-threshold", kHonoured, OptionType::kDuration, "1 h",
     "After so long without a failure the wait is the first again."},
    {"restart-strategy.failure-rate.delay", kHonoured, OptionType::kDuration, "1 s", "Wait before a restart."},
    {"restart-strategy.failure-rate.failure-rate-interval", kHonoured, OptionType::kDuration, "1 min",
     "Time in which failures are counted."},
    {"restart-strategy.failure-rate.max-failures-per-interval", kHonoured, OptionType::kInt, "1",
     "Restarts in that time before the job fails."},
    {"restart-strategy.fixed-delay.attempts", kHonoured, OptionType::kInt, "1", "Restarts before the job fails."},
    {"restart-strategy.fixed-delay.delay", kHonoured, OptionType::kDuration, "1 s", "Wait before a restart."},
    {"restart-strategy.type", kHonoured, OptionType::kString, "",
     "none, fixed-delay, exponential-delay or failure-rate; unset: exponential-delay with checkpoints, none without."},
    {"s3.*", kAccepted, OptionType::kString, "", "only local files are supported"},
    {"scan.watermark.alignment.*", kHonoured, OptionType::kString, "", "Watermark alignment; set per table."},
    {"security.kerberos.krb5-conf.path", kHonoured, OptionType::kString, "", "Kerberos' configuration."},
    {"security.kerberos.login.contexts", kHonoured, OptionType::kString, "",
     "KafkaClient among them: Kafka's clients log in by Kerberos as the options beside this one say."},
    {"security.kerberos.login.keytab", kHonoured, OptionType::kString, "", "A key table; it needs a principal."},
    {"security.kerberos.login.principal", kHonoured, OptionType::kString, "", "Whose keys they are."},
    {"security.kerberos.login.use-ticket-cache", kHonoured, OptionType::kBoolean, "true",
     "Without a key table: tickets come from the cache that kinit fills."},
    {"security.*", kAccepted, OptionType::kString, "", "connectors take their own security options"},
    {"slot.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"slotmanager.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"sql-client.*", kAccepted, OptionType::kString, "", kClientOnly},
    {"sql-gateway.*", kAccepted, OptionType::kString, "", "the gateway is not supported yet"},
    {"state.backend.changelog.*", kAccepted, OptionType::kString, "", "the hashmap backend writes whole snapshots"},
    {"state.backend.latency-track.*", kAccepted, OptionType::kString, "", "state latency is not measured"},
    {"state.backend.local-recovery", kAccepted, OptionType::kBoolean, "", kOneProcess},
    {"state.backend.rocksdb.*", kAccepted, OptionType::kString, "", "the rocksdb backend is not supported yet"},
    {"state.backend.type", kHonoured, OptionType::kString, "hashmap", "hashmap."},
    {"state.changelog.*", kAccepted, OptionType::kString, "", "the hashmap backend writes whole snapshots"},
    {"state.storage.*", kAccepted, OptionType::kString, "", "checkpoints are always files"},
    {"table.builtin-catalog-name", kAccepted, OptionType::kString, "", "the catalog is 'default_catalog'"},
    {"table.builtin-database-name", kAccepted, OptionType::kString, "", "the database is 'default_database'"},
    {"table.catalog-modification.*", kAccepted, OptionType::kString, "", kClientOnly},
    {"table.catalog-store.*", kAccepted, OptionType::kString, "", "the catalog is in memory"},
    {"table.column-expansion-strategy", kRefused, OptionType::kString, "", "SELECT * always gives all columns"},
    {"table.display.*", kAccepted, OptionType::kString, "", kClientOnly},
    {"table.dml-sync", kHonoured, OptionType::kBoolean, "false", "INSERT waits for its end."},
    {"table.dynamic-table-options.enabled", kAccepted, OptionType::kBoolean, "", "OPTIONS hints always work"},
    {"table.exec.async-lookup.*", kAccepted, OptionType::kString, "", "lookup joins are not supported yet"},
    {"table.exec.async-scalar.*", kAccepted, OptionType::kString, "", "functions are never asynchronous"},
    {"table.exec.async-state.*", kAccepted, OptionType::kString, "", "state is local"},
    {"table.exec.async-table.*", kAccepted, OptionType::kString, "", "functions are never asynchronous"},
    {"table.exec.deduplicate.*", kAccepted, OptionType::kString, "", "deduplication is not supported yet"},
    {"table.exec.disabled-operators", kAccepted, OptionType::kString, "", kNoBatch},
    {"table.exec.interval-join.*", kAccepted, OptionType::kString, "", "joins are not supported yet"},
    {"table.exec.legacy-cast-behaviour", kHonoured, OptionType::kString, "DISABLED",
     "DISABLED: casts fail where they cannot."},
    {"table.exec.legacy-transformation-uids", kAccepted, OptionType::kString, "", "uids have a form of their own"},
    {"table.exec.mini-batch.allow-latency", kHonoured, OptionType::kDuration, "0 ms",
     "Longest time a mini-batch waits."},
    {"table.exec.mini-batch.enabled", kHonoured, OptionType::kBoolean, "",
     "Unset: one update per key and batch; false: one per row; true: Flink's mini-batch (D15)."},
    {"table.exec.mini-batch.size", kHonoured, OptionType::kLong, "-1", "Most rows of a mini-batch."},
    {"table.exec.rank.*", kAccepted, OptionType::kString, "", "Top-N is not supported yet"},
    {"table.exec.resource.default-parallelism", kHonoured, OptionType::kInt, "-1",
     "Parallelism of SQL operators; -1: parallelism.default."},
    {"table.exec.simplify-operator-name-enabled", kAccepted, OptionType::kString, "",
     "names are as EXPLAIN prints them"},
    {"table.exec.sink.keyed-shuffle", kAccepted, OptionType::kString, "", "rows of a key always go through one writer"},
    {"table.exec.sink.not-null-enforcer", kHonoured, OptionType::kString, "ERROR",
     "ERROR or DROP: rows with NULL in a NOT NULL column of a sink."},
    {"table.exec.sink.rowtime-inserter", kAccepted, OptionType::kString, "", "a Kafka table says its timestamp itself"},
    {"table.exec.sink.type-length-enforcer", kHonoured, OptionType::kString, "IGNORE",
     "IGNORE, TRIM_PAD or ERROR: texts longer than a sink's CHAR and VARCHAR columns."},
    {"table.exec.sink.upsert-materialize", kAccepted, OptionType::kString, "",
     "a sink whose key is not the query's is refused"},
    {"table.exec.sort.*", kAccepted, OptionType::kString, "", kNoBatch},
    {"table.exec.source.cdc-events-duplicate", kHonoured, OptionType::kBoolean, "false",
     "De-duplicate change events by primary key."},
    {"table.exec.source.idle-timeout", kHonoured, OptionType::kDuration, "0 ms",
     "A split without records for that long does not hold the watermark back."},
    {"table.exec.spill-compression.*", kAccepted, OptionType::kString, "", "nothing is spilled"},
    {"table.exec.state.ttl", kHonoured, OptionType::kDuration, "0 ms", "0: state is kept for ever."},
    {"table.exec.uid.*", kAccepted, OptionType::kString, "", "uids have a form of their own"},
    {"table.exec.unbounded-over.version", kAccepted, OptionType::kString, "", "OVER is not supported yet"},
    {"table.exec.window-agg.*", kAccepted, OptionType::kString, "", "windows are not supported yet"},
    {"table.generated-code.*", kAccepted, OptionType::kString, "", "no code is generated"},
    {"table.local-time-zone", kHonoured, OptionType::kString, "default", "Session time zone; default: UTC."},
    {"table.optimizer.*", kAccepted, OptionType::kString, "", kPlanner},
    {"table.plan.*", kAccepted, OptionType::kString, "", kPlanner},
    {"table.resources.*", kAccepted, OptionType::kString, "", kNoJvm},
    {"table.rtas-ctas.*", kAccepted, OptionType::kString, "", "CREATE TABLE … AS is not supported yet"},
    {"table.sql-dialect", kAccepted, OptionType::kString, "", "the dialect is Flink's"},
    {"taskmanager.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"web.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"yarn.*", kAccepted, OptionType::kString, "", kOneProcess},
    {"yeoul.batch-rows", kHonoured, OptionType::kLong, "1024", "Rows of a batch at most; results do not depend on it."},
    {"zookeeper.*", kAccepted, OptionType::kString, "", kOneProcess},
};

/// What numbers and durations may be, where not all are sensible; Flink's own limits where it has them.
struct Range {
  std::string_view key;
  int64_t least;
  int64_t most = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> unset = std::nullopt;  ///< stands for "not set"
};
constexpr int64_t kMaxParallelism = 32'768;
constexpr Range kRanges[] = {
    {.key = "execution.checkpointing.interval", .least = 10},
    {.key = "execution.checkpointing.num-retained", .least = 1},
    {.key = "execution.checkpointing.timeout", .least = 10},
    {.key = "execution.checkpointing.tolerable-failed-checkpoints", .least = 0},
    {.key = "parallelism.default", .least = 1, .most = kMaxParallelism, .unset = -1},
    {.key = "pipeline.max-parallelism", .least = 1, .most = kMaxParallelism, .unset = -1},
    {.key = "restart-strategy.exponential-delay.attempts-before-reset-backoff", .least = 0},
    {.key = "restart-strategy.exponential-delay.initial-backoff", .least = 1},
    {.key = "restart-strategy.exponential-delay.reset-backoff-threshold", .least = 1},
    {.key = "restart-strategy.failure-rate.failure-rate-interval", .least = 1},
    {.key = "restart-strategy.failure-rate.max-failures-per-interval", .least = 1},
    {.key = "restart-strategy.fixed-delay.attempts", .least = 0},
    {.key = "table.exec.mini-batch.size", .least = 1, .unset = -1},
    {.key = "table.exec.resource.default-parallelism", .least = 1, .most = kMaxParallelism, .unset = -1},
    {.key = "yeoul.batch-rows", .least = 1},
};

/// Names that Flink has renamed.
constexpr std::pair<std::string_view, std::string_view> kOldNames[] = {
    {"execution.buffer-timeout", "execution.buffer-timeout.interval"},
    {"execution.checkpointing.unaligned", "execution.checkpointing.unaligned.enabled"},
    {"execution.savepoint.ignore-unclaimed-state", "execution.state-recovery.ignore-unclaimed-state"},
    {"execution.savepoint.path", "execution.state-recovery.path"},
    {"pipeline.operator-chaining", "pipeline.operator-chaining.enabled"},
    {"restart-strategy", "restart-strategy.type"},
    {"security.keytab", "security.kerberos.login.keytab"},
    {"security.principal", "security.kerberos.login.principal"},
    {"state.backend", "state.backend.type"},
    {"state.backend.incremental", "execution.checkpointing.incremental"},
    {"state.checkpoint-storage", "execution.checkpointing.storage"},
    {"state.checkpoints.dir", "execution.checkpointing.dir"},
    {"state.checkpoints.num-retained", "execution.checkpointing.num-retained"},
    {"state.savepoints.dir", "execution.checkpointing.savepoint-dir"},
};

bool matches(const SessionOption& row, std::string_view key) {
  return row.key.ends_with('*') ? key.starts_with(row.key.substr(0, row.key.size() - 1)) : row.key == key;
}

const SessionOption* find_row(std::string_view key) {
  const auto it =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const SessionOption& r) { return matches(r, key); });
  return it == std::end(kRows) ? nullptr : it;
}

void check_range(const SessionOption& row, const std::string& key, const std::string& text, int64_t value) {
  int64_t least = row.type == OptionType::kDuration ? 0 : std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
  if (row.type == OptionType::kInt) {
    least = std::numeric_limits<int32_t>::min();
    most = std::numeric_limits<int32_t>::max();
  }
  for (const Range& range : kRanges) {
    if (range.key != key) continue;
    if (range.unset == value) return;
    least = range.least;
    most = std::min(most, range.most);
  }
  if (value >= least && value <= most) return;
  const std::string_view unit = row.type == OptionType::kDuration ? " ms" : "";
  throw user_error(2010, "option '{}': '{}' is too {}: it must be {} {}{}", key, text,
                   value < least ? "small" : "large", value < least ? "at least" : "at most",
                   value < least ? least : most, unit);
}

void validate(const SessionOption& row, const std::string& key, const std::string& value) {
  switch (row.type) {
    case OptionType::kInt:
    case OptionType::kLong:
      check_range(row, key, value, parse_integer(key, value));
      return;
    case OptionType::kBoolean:
      parse_boolean(key, value);
      return;
    case OptionType::kDouble:
      parse_double(key, value);
      return;
    case OptionType::kDuration:
      check_range(row, key, value, parse_duration_ms(key, value));
      return;
    default:
      return;
  }
}

/// @throws user error 2013 for what is no type
RestartSettings::Type restart_type(const std::string& value) {
  using Type = RestartSettings::Type;
  constexpr std::pair<std::string_view, Type> kTypes[] = {
      {"", Type::kUnset},
      {"none", Type::kNone},
      {"off", Type::kNone},
      {"disable", Type::kNone},
      {"fixed-delay", Type::kFixedDelay},
      {"fixeddelay", Type::kFixedDelay},
      {"exponential-delay", Type::kExponentialDelay},
      {"exponentialdelay", Type::kExponentialDelay},
      {"failure-rate", Type::kFailureRate},
      {"failurerate", Type::kFailureRate},
  };
  for (const auto& [name, type] : kTypes) {
    if (equals_ignoring_case(value, name)) return type;
  }
  throw user_error(2013,
                   "option 'restart-strategy.type' = '{}': the types are none, fixed-delay, exponential-delay and "
                   "failure-rate",
                   value);
}

/// Values that only some of Flink's are supported of.
void check_choice(const std::string& key, const std::string& value) {
  const auto one_of = [&](std::initializer_list<std::string_view> allowed, std::string_view reason) {
    for (const std::string_view choice : allowed) {
      if (equals_ignoring_case(value, choice)) return;
    }
    throw user_error(2013, "option '{}' = '{}': {}", key, value, reason);
  };
  if (key == "execution.runtime-mode")
    one_of({"STREAMING", "AUTOMATIC"}, "only STREAMING is supported: a bounded job is a stream that ends");
  if (key == "execution.checkpointing.mode")
    one_of({"EXACTLY_ONCE", "AT_LEAST_ONCE"}, "the modes are EXACTLY_ONCE and AT_LEAST_ONCE");
  if (key == "restart-strategy.type") restart_type(value);
  if (key == "state.backend.type") one_of({"hashmap"}, "only hashmap is supported yet");
  if (key == "table.exec.sink.not-null-enforcer") one_of({"ERROR", "DROP"}, "the choices are ERROR and DROP");
  if (key == "table.exec.sink.type-length-enforcer")
    one_of({"IGNORE", "TRIM_PAD", "ERROR"}, "the choices are IGNORE, TRIM_PAD and ERROR");
  if (key == "table.exec.legacy-cast-behaviour") one_of({"DISABLED"}, "only DISABLED is supported");
  if (key == "table.exec.state.ttl" && parse_duration_ms(key, value) != 0)
    throw user_error(2013, "option '{}' = '{}': state time-to-live is not supported yet; 0 keeps state for ever", key,
                     value);
  if (key == "table.local-time-zone" && value != "default") TimeZone::load(value);
}

/// What of a virtual machine's options has no effect.
std::string java_options_note(const std::string& key, const std::string& value) {
  JavaOptions options = parse_java_options(value);
  for (const auto& [name, text] : options.properties) {  // a value may be a password
    if (!name.starts_with("java.security.")) options.others.push_back("-D" + name);
  }
  if (options.others.empty()) return "";
  return fmt::format("option '{}': {} has no effect: {}", key, fmt::join(options.others, " "), kNoJvm);
}

}  // namespace

std::span<const SessionOption> session_options() {
  return kRows;
}

std::string SessionOptions::set(const std::string& given, const std::string& value) {
  std::string key = given;
  for (const auto& [old_name, present] : kOldNames) {
    if (given == old_name) key = present;
  }
  const SessionOption* row = find_row(key);
  if (row == nullptr) {
    std::vector<std::string> known;
    for (const SessionOption& r : kRows) {
      if (!r.key.ends_with('*')) known.emplace_back(r.key);
    }
    const std::string near = nearest_name(key, known);
    throw user_error(2011, "unknown option '{}'{}", key, near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
  }
  if (row->treatment == kRefused) throw user_error(2013, "option '{}' cannot be set: {}", key, row->help);
  validate(*row, key, value);
  check_choice(key, value);
  values_[key] = value;
  if (key.starts_with(kJavaOptions)) return java_options_note(key, value);
  return row->treatment == kAccepted ? fmt::format("option '{}' has no effect: {}", key, row->help) : "";
}

std::string SessionOptions::text(std::string_view key) const {
  if (const auto it = values_.find(key); it != values_.end()) return it->second;
  if (const auto it = inherited_.find(key); it != inherited_.end()) return it->second;
  const SessionOption* row = find_row(key);
  YEOUL_CHECK(row != nullptr, "session option {}", key);
  return std::string(row->fallback);
}

TimeZone SessionOptions::zone() const {
  const std::string name = text("table.local-time-zone");
  return name == "default" ? TimeZone() : TimeZone::load(name);
}

int SessionOptions::parallelism() const {
  const int64_t sql =
      parse_integer("table.exec.resource.default-parallelism", text("table.exec.resource.default-parallelism"));
  const int64_t value = sql > 0 ? sql : parse_integer("parallelism.default", text("parallelism.default"));
  return static_cast<int>(std::max<int64_t>(1, value));  // -1: Flink's default, which is 1
}

bool SessionOptions::checkpointing() const {
  return !text("execution.checkpointing.interval").empty();
}

RestartSettings SessionOptions::restart_settings() const {
  const auto integer = [&](std::string_view key) { return static_cast<int>(parse_integer(key, text(key))); };
  const auto duration = [&](std::string_view key) { return parse_duration_ms(key, text(key)); };
  const auto number = [&](std::string_view key) { return parse_double(key, text(key)); };
  return {.type = restart_type(text("restart-strategy.type")),
          .attempts = integer("restart-strategy.fixed-delay.attempts"),
          .delay_ms = duration("restart-strategy.fixed-delay.delay"),
          .initial_backoff_ms = duration("restart-strategy.exponential-delay.initial-backoff"),
          .max_backoff_ms = duration("restart-strategy.exponential-delay.max-backoff"),
          .backoff_multiplier = number("restart-strategy.exponential-delay.backoff-multiplier"),
          .reset_backoff_threshold_ms = duration("restart-strategy.exponential-delay.reset-backoff-threshold"),
          .jitter_factor = number("restart-strategy.exponential-delay.jitter-factor"),
          .attempts_before_reset_backoff = integer("restart-strategy.exponential-delay.attempts-before-reset-backoff"),
          .max_failures_per_interval = integer("restart-strategy.failure-rate.max-failures-per-interval"),
          .failure_rate_interval_ms = duration("restart-strategy.failure-rate.failure-rate-interval"),
          .failure_rate_delay_ms = duration("restart-strategy.failure-rate.delay")};
}

JobConfig SessionOptions::job_config(const std::string& default_name) const {
  const auto integer = [&](std::string_view key) { return parse_integer(key, text(key)); };
  const auto duration = [&](std::string_view key) { return parse_duration_ms(key, text(key)); };
  JobConfig config;
  config.name = text("pipeline.name").empty() ? default_name : text("pipeline.name");
  config.max_parallelism = std::max(0, static_cast<int>(integer("pipeline.max-parallelism")));
  config.batch_records_max = integer("yeoul.batch-rows");
  config.auto_watermark_interval_ms = duration("pipeline.auto-watermark-interval");
  if (checkpointing()) config.checkpoint_interval_ms = duration("execution.checkpointing.interval");
  config.checkpoint_timeout_ms = duration("execution.checkpointing.timeout");
  config.checkpoint_min_pause_ms = duration("execution.checkpointing.min-pause");
  config.tolerable_failed_checkpoints =
      static_cast<int>(integer("execution.checkpointing.tolerable-failed-checkpoints"));
  config.retained_checkpoints = static_cast<int>(integer("execution.checkpointing.num-retained"));
  config.checkpoint_directory = local_path("option 'execution.checkpointing.dir'", text("execution.checkpointing.dir"));
  if (const std::string path = text("execution.state-recovery.path"); !path.empty()) {
    config.restore_path = local_path("option 'execution.state-recovery.path'", path);
  }
  config.allow_non_restored_state = parse_boolean("execution.state-recovery.ignore-unclaimed-state",
                                                  text("execution.state-recovery.ignore-unclaimed-state"));
  config.restart = restart_settings();
  return config;
}

}  // namespace yeoul
