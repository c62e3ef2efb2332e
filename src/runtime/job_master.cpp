#include "yeoul/runtime/job_master.h"

#include <algorithm>
#include <chrono>

#include "yeoul/common/hash.h"
#include "yeoul/common/log.h"

namespace yeoul {

/// Hands what the tasks of one attempt say to the coordinator, while that attempt is the current one.
class JobMaster::AttemptListener final : public TaskListener {
 public:
  AttemptListener(JobMaster& master, int attempt) : master_(master), attempt_(attempt) {}

  void on_reader_registered(int vertex, int subtask) override {
    post([=](JobMaster& master) { master.execution_->source(vertex)->add_reader(subtask); });
  }
  void on_split_request(int vertex, int subtask) override {
    post([=](JobMaster& master) { master.execution_->source(vertex)->handle_split_request(subtask); });
  }
  void on_source_event(int vertex, int subtask, std::string event) override {
    post([=](JobMaster& master) { master.execution_->source(vertex)->handle_event(subtask, event); });
  }
  void on_source_watermark(int vertex, int subtask, int64_t watermark) override {
    post([=](JobMaster& master) {
      if (master.alignment_) master.alignment_->report(vertex, subtask, watermark);
    });
  }
  void on_flushed(int vertex, int subtask) override {
    post([=](JobMaster& master) {
      master.execution_->set_state(vertex, subtask, Execution::TaskState::kFlushed);
      if (master.checkpoints_) master.checkpoints_->on_flushed();
    });
  }
  void on_acknowledged(TaskAck ack) override {
    post([ack = std::move(ack)](JobMaster& master) {
      if (master.checkpoints_) master.checkpoints_->on_acknowledged(ack);
    });
  }
  void on_declined(int vertex, int subtask, int64_t checkpoint_id, std::exception_ptr reason) override {
    (void)vertex, (void)subtask;
    post([=](JobMaster& master) {
      if (master.checkpoints_) master.checkpoints_->on_declined(checkpoint_id, reason);
    });
  }
  void on_failed(int vertex, int subtask, std::exception_ptr failure) override {
    (void)vertex, (void)subtask;
    post([=](JobMaster& master) { master.fail_attempt(failure); });
  }
  void on_final_committables(std::vector<NodeAck> nodes) override {
    post([nodes = std::move(nodes)](JobMaster& master) { master.on_final_committables(nodes); });
  }
  void on_stopped(int vertex, int subtask, bool done) override {
    post([=](JobMaster& master) { master.on_task_stopped(vertex, subtask, done); });
  }

 private:
  template <class Call>
  void post(Call call) {
    master_.context_.mailbox->post([this, call = std::move(call)] {
      if (attempt_ == master_.attempt_ && master_.execution_) call(master_);
    });
  }

  JobMaster& master_;
  const int attempt_;
};

namespace {

std::shared_ptr<CheckpointStorage> storage_for(const JobConfig& config, const JobEnvironment& environment) {
  if (config.checkpoint_interval_ms <= 0) return nullptr;
  return std::make_shared<CheckpointStorage>(*environment.files, config.checkpoint_directory, config.name,
                                             config.job_id);
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.to_string();
  } catch (const std::exception& error) {
    return error.what();
  }
}

constexpr int kIoThreads = 4;

}  // namespace

JobMaster::JobMaster(JobGraph graph, JobConfig config, const JobEnvironment& environment,
                     std::shared_ptr<const Checkpoint> restored, Executor* executor)
    : config_(std::move(config)),
      environment_(environment),
      graph_(std::move(graph)),
      metrics_(graph_, config_, *environment_.clock),
      completed_(storage_for(config_, environment_), config_.retained_checkpoints, std::move(restored)),
      commits_(graph_, context_),
      restart_strategy_(config_.restart, config_.checkpoint_interval_ms > 0, murmur3_32(config_.job_id)) {
  if (executor == nullptr) {
    pool_ = std::make_unique<ThreadPool>("io", kIoThreads);
    pool_executor_ = std::make_unique<PoolExecutor>(*pool_);
    executor = pool_executor_.get();
  }
  context_.config = &config_;
  context_.environment = &environment_;
  context_.executor = executor;
  context_.checkpoint_metrics = &metrics_.checkpoints();
  context_.mailbox = std::make_shared<Mailbox>();
  context_.fail = [this](const std::exception_ptr& failure) { fail_attempt(failure); };
}

JobMaster::~JobMaster() {
  if (thread_.joinable()) {
    JobMaster::cancel();
    thread_.join();
  }
  execution_.reset();
  if (pool_) {
    pool_.reset();  // runs what was posted
    if (completed_.storage()) completed_.storage()->close();
  }
  context_.mailbox->close();
}

void JobMaster::start() {
  if (completed_.storage()) {
    context_.executor->post([storage = completed_.storage(), id = completed_.next_id()] { storage->open(id); });
  }
  if (pool_ == nullptr) {
    start_attempt();
    return;
  }
  context_.mailbox->post([this] {
    sample_metrics();
    start_attempt();
  });
  thread_ = start_thread("coordinator", [this](std::stop_token stop) { run(stop); });
}

void JobMaster::run(std::stop_token stop) {
  for (;;) {
    Step step = Step::kProgress;
    try {
      step = this->step();
    } catch (const std::exception& error) {
      fail_attempt(std::make_exception_ptr(internal_error(9012, "the job's coordinator failed: {}", error.what())));
    }
    if (step == Step::kDone) return;
    if (step == Step::kIdle) context_.mailbox->wake_up().wait(stop, wait_ms());
  }
}

Step JobMaster::step() {
  if (done_) return Step::kDone;
  if (std::optional<Mailbox::Mail> mail = context_.mailbox->take()) {
    (*mail)();
    return Step::kProgress;
  }
  if (!context_.timers.empty() && context_.timers.next_at() <= context_.steady_ms()) {
    context_.timers.take()();
    return Step::kProgress;
  }
  return Step::kIdle;
}

int64_t JobMaster::wait_ms() const {
  return context_.timers.empty() ? -1 : std::max<int64_t>(0, context_.timers.next_at() - context_.steady_ms());
}

// --- Attempts ----------------------------------------------------------------------------------------------------

CommittablesByNode JobMaster::restored_committables() const {
  CommittablesByNode committables;
  if (!completed_.latest()) return committables;
  for (const StreamNode& node : graph_.stream_graph().nodes()) {
    const NodeCheckpoint* stored = completed_.latest()->find(node.uid);
    if (node.sink && stored && !stored->committables.empty()) committables[node.id] = stored->committables;
  }
  return committables;
}

void JobMaster::start_attempt() {
  const int attempt = ++attempt_;
  attempt_failure_ = nullptr;
  commits_.forget_waiting();
  CommittablesByNode committables = restored_committables();
  if (committables.empty() && commits_.idle()) {
    launch();
    return;
  }
  // Before the writers exist: theirs may abort what is not committed by then.
  commits_.commit(std::move(committables), [this, attempt](const std::exception_ptr& failure) {
    if (attempt != attempt_ || done_ || cancelling_) return;
    failure ? fail_attempt(failure) : launch();
  });
}

void JobMaster::launch() {
  try {
    listeners_.push_back(std::make_unique<AttemptListener>(*this, attempt_));
    metrics_.forget_connectors();
    if (completed_.latest()) metrics_.checkpoints().last_restored_at_ms.set(context_.clock().wall_ms());
    execution_ = std::make_unique<Execution>(ExecutionSetup{.graph = &graph_,
                                                            .context = &context_,
                                                            .io_pool = pool_.get(),
                                                            .listener = listeners_.back().get(),
                                                            .storage = completed_.storage(),
                                                            .metrics = &metrics_,
                                                            .restored = completed_.latest().get()});
    alignment_ = std::make_shared<WatermarkAlignment>(graph_, context_, *execution_);
    if (completed_.storage()) {
      checkpoints_ =
          std::make_shared<CheckpointCoordinator>(graph_, context_, *execution_, completed_, commits_, *this);
      checkpoints_->start();
    }
    set_status(JobStatus::kRunning);
    execution_->start(pool_ != nullptr);
  } catch (...) {
    fail_attempt(std::current_exception());
  }
}

void JobMaster::fail_attempt(const std::exception_ptr& failure) {
  if (done_ || cancelling_ || attempt_failure_) return;
  attempt_failure_ = failure;
  end_attempt();
}

void JobMaster::end_attempt() {
  alignment_.reset();
  if (checkpoints_) checkpoints_->abandon();
  if (execution_) execution_->stop();
  // By mail: whoever failed may be in the middle of something.
  context_.mailbox->post([this] { conclude(); });
}

void JobMaster::conclude() {
  if (done_) return;
  if (execution_ && !execution_->all_stopped()) return;
  if (checkpoints_ && !checkpoints_->settled()) return;
  if (cancelling_) {
    finish(JobStatus::kCanceled);
  } else if (attempt_failure_) {
    execution_.reset();
    checkpoints_.reset();
    const std::optional<int64_t> delay_ms =
        can_restart_help() ? restart_strategy_.on_failure(context_.steady_ms()) : std::nullopt;
    if (delay_ms) {
      schedule_restart(*delay_ms);
    } else {
      finish(JobStatus::kFailed);
    }
  } else if (execution_) {
    if (checkpoints_) checkpoints_->stop();
    if (commits_.idle()) finish(JobStatus::kFinished);
  }
}

void JobMaster::schedule_restart(int64_t delay_ms) {
  ++num_restarts_;
  const std::optional<int> most = restart_strategy_.attempts_max();
  log(LogLevel::kWarn, "job", "'{}' failed and restarts in {} ms (restart {}{}) from {}: {}", config_.name, delay_ms,
      num_restarts_, most ? fmt::format(" of {}", *most) : "",
      completed_.latest() ? completed_.latest()->path : "the beginning", text_of(attempt_failure_));
  attempt_failure_ = nullptr;
  set_status(JobStatus::kRestarting);
  context_.timers.add(context_.steady_ms() + delay_ms, [this] {
    if (!done_ && !cancelling_) start_attempt();
  });
}

bool JobMaster::can_restart_help() const {
  try {
    std::rethrow_exception(attempt_failure_);
  } catch (const Error& error) {
    return error.family() != ErrorFamily::kUser;
  } catch (...) {
    return true;
  }
}

void JobMaster::finish(JobStatus status) {
  alignment_.reset();
  execution_.reset();
  checkpoints_.reset();
  done_ = true;
  {
    const std::scoped_lock lock(mutex_);
    failure_ = status == JobStatus::kFailed ? attempt_failure_ : nullptr;
    status_ = status;
    status_since_ms_ = context_.steady_ms();
  }
  ended_.notify_all();
}

void JobMaster::set_status(JobStatus status) {
  const std::scoped_lock lock(mutex_);
  status_ = status;
  status_since_ms_ = context_.steady_ms();
  restarts_shown_ = num_restarts_;
}

void JobMaster::sample_metrics() {
  metrics_.sample();
  context_.timers.add(context_.steady_ms() + RateWindow::kSampleMs, [this] { sample_metrics(); });
}

void JobMaster::on_task_stopped(int vertex, int subtask, bool done) {
  execution_->note_stopped();
  if (done) execution_->set_state(vertex, subtask, Execution::TaskState::kEnded);
  if (execution_->all_stopped()) conclude();
}

void JobMaster::on_final_committables(std::vector<NodeAck> nodes) {
  CommittablesByNode committables;
  for (NodeAck& node : nodes) committables[node.node] = std::move(node.committables);
  const int attempt = attempt_;
  commits_.commit(std::move(committables), [this, attempt](const std::exception_ptr& failure) {
    on_committed(attempt == attempt_ ? failure : nullptr);
  });
}

void JobMaster::on_completed(const CheckpointInfo& info) {
  const std::scoped_lock lock(mutex_);
  checkpoint_ = info;
}

void JobMaster::on_committed(std::exception_ptr failure) {
  if (failure) {
    fail_attempt(failure);
  } else {
    conclude();
  }
}

// --- Job ---------------------------------------------------------------------------------------------------------

void JobMaster::cancel() {
  context_.mailbox->post([this] {
    if (done_ || cancelling_) return;
    cancelling_ = true;
    set_status(JobStatus::kCancelling);
    end_attempt();
  });
}

JobStatus JobMaster::wait(int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  const auto ended = [this] { return status_ >= JobStatus::kCanceled; };
  if (timeout_ms < 0) {
    ended_.wait(lock, ended);
  } else {
    ended_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ended);
  }
  return status_;
}

std::exception_ptr JobMaster::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

JobProgress JobMaster::progress() const {
  JobProgress progress;
  {
    const std::scoped_lock lock(mutex_);
    progress.status = status_;
    progress.restarts = restarts_shown_;
    progress.last_checkpoint = checkpoint_;
  }
  metrics_.add_to(progress);
  return progress;
}

MetricReport JobMaster::metrics() const {
  MetricReport report;
  {
    const std::scoped_lock lock(mutex_);
    const int64_t since_ms = context_.steady_ms() - status_since_ms_;
    const auto add = [&](const char* name, int64_t value) {
      report.push_back({metrics_.job_scope(), name, static_cast<double>(value)});
    };
    add("uptime", status_ == JobStatus::kRunning ? since_ms : 0);
    add("downtime", status_ == JobStatus::kRestarting ? since_ms : 0);
    add("numRestarts", restarts_shown_);
    add("fullRestarts", restarts_shown_);
  }
  metrics_.report(report);
  return report;
}

}  // namespace yeoul
