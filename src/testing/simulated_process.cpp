#include "yeoul/testing/simulated_process.h"

#include <algorithm>
#include <numeric>

namespace yeoul {
namespace {

constexpr size_t kIoThreads = 4;
/// Coordinator, I/O, cluster.
constexpr size_t kOthers = 3;

}  // namespace

SimulatedProcess::SimulatedProcess(const StreamGraph& graph, JobConfig config, SimulatedWorld& world, uint64_t seed,
                                   bool flowing)
    : world_(world), random_(seed), flowing_(flowing) {
  const JobEnvironment environment{.clock = &world.clock, .files = &world.files, .state_backend = world.state_backend};
  job_ = make_job(graph, std::move(config), environment, &executor_);
  job_->start();
  draw_weights();
}

SimulatedProcess::~SimulatedProcess() {
  executor_.drop();
  job_.reset();
}

size_t SimulatedProcess::num_tasks() const {
  return job_->execution() ? job_->execution()->tasks().size() : 0;
}

void SimulatedProcess::draw_weights() {
  execution_ = job_->execution();
  seats_.assign(num_tasks(), {});
  weights_.clear();
  for (size_t i = 0; i < num_tasks() + kOthers; ++i) weights_.push_back(random_.one_of({1, 8, 8, 8, 64}));
  weight_ = std::accumulate(weights_.begin(), weights_.end(), int64_t{0});
}

size_t SimulatedProcess::draw_actor() {
  int64_t at = random_.below(weight_);
  size_t actor = 0;
  while (at >= weights_[actor]) at -= weights_[actor++];
  return actor;
}

bool SimulatedProcess::step() {
  if (world_.sabotage) world_.sabotage->meddle(*job_);
  if (job_->execution() != execution_) draw_weights();
  if (flowing_ && random_.chance(20)) {
    world_.clock.advance(random_.between(1, 2));
    return true;
  }
  const size_t count = weights_.size();
  const size_t first = draw_actor();
  for (size_t i = 0; i < count; ++i) {
    const size_t actor = (first + i) % count;
    if (!step_actor(actor)) continue;
    world_.findings.trace(actor);
    return true;
  }
  return wait();
}

bool SimulatedProcess::step_actor(size_t actor) {
  if (actor < seats_.size()) return step_task(actor);
  switch (actor - seats_.size()) {
    case 0:
      return job_->step() == Step::kProgress;
    case 1:
      return step_io();
    default:
      return world_.kafka->step();
  }
}

bool SimulatedProcess::step_io() {
  const size_t waiting = executor_.num_waiting();
  if (waiting == 0) return false;
  return executor_.step(static_cast<size_t>(random_.below(static_cast<int64_t>(std::min(waiting, kIoThreads)))));
}

bool SimulatedProcess::may_step(Task& task, Seat& seat) {
  if (!seat.asleep) return true;
  if (task.mailbox().wake_up().lower()) {
    if (world_.sabotage == nullptr || !world_.sabotage->keeps_asleep(task, seat.had_room)) return true;
  }
  return task.wait_ms() == 0;
}

bool SimulatedProcess::step_task(size_t number) {
  Task& task = *job_->execution()->tasks()[number];
  if (job_->execution()->stopping()) return task.close();
  Seat& seat = seats_[number];
  if (!may_step(task, seat)) return false;
  const Step step = task.guarded_step();
  if (step == Step::kDone) return task.close();
  seat.asleep = step == Step::kIdle;
  if (!seat.asleep) return true;
  if (task.wait_ms() == 0)
    world_.findings.add(fmt::format("'{}' spins: nothing to do, and a timer is due", task.name()));
  seat.had_room = Sabotage::has_room(task);
  return false;
}

bool SimulatedProcess::wait() {
  look_for_sleepers();
  int64_t next_ms =
      world_.kafka->next_at() == TimerQueue::kNever ? -1 : world_.kafka->next_at() - world_.clock.wall_ms();
  const auto consider = [&](int64_t ms) {
    if (ms >= 0 && (next_ms < 0 || ms < next_ms)) next_ms = ms;
  };
  consider(job_->wait_ms());
  for (size_t i = 0; i < seats_.size(); ++i) consider(job_->execution()->tasks()[i]->wait_ms());
  if (next_ms < 0) {
    world_.findings.add("the job is stuck: nobody can go on, and nothing is to come");
    return false;
  }
  world_.clock.advance(std::max<int64_t>(next_ms, 1));
  world_.findings.trace(static_cast<uint64_t>(world_.clock.wall_ms()));
  return true;
}

void SimulatedProcess::look_for_sleepers() {
  if (job_->execution() == nullptr || job_->execution()->stopping()) return;
  for (size_t i = 0; i < seats_.size(); ++i) {
    Task& task = *job_->execution()->tasks()[i];
    if (!seats_[i].asleep || task.guarded_step() != Step::kProgress) continue;
    seats_[i].asleep = false;
    world_.findings.add(fmt::format("'{}' slept though it could go on: nobody woke it", task.name()));
  }
}

}  // namespace yeoul
