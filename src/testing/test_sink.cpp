#include "yeoul/testing/test_sink.h"

#include <utility>

#include "yeoul/common/bytes.h"

namespace yeoul {

class TestSink::Writer final : public SinkWriter {
 public:
  Writer(const TestSink& sink, SinkWriterContext context) : sink_(sink), context_(std::move(context)) {
    const std::scoped_lock lock(sink_.shared_->mutex);
    sink_.shared_->wake_ups.push_back(context_.wake_up);
    for (const std::string& state : context_.restored_states) sink_.shared_->restored_states.push_back(state);
  }

  void write(const BatchPtr& batch) override {
    const std::vector<std::string> lines = sink_.lines_(*batch);
    context_.metrics->records_out.add(static_cast<int64_t>(lines.size()));
    num_written_ += lines.size();
    if (sink_.exactly_once_) {
      open_.insert(open_.end(), lines.begin(), lines.end());
      return;
    }
    const std::scoped_lock lock(sink_.shared_->mutex);
    sink_.shared_->lines.insert(sink_.shared_->lines.end(), lines.begin(), lines.end());
  }
  bool has_room() const override {
    const std::scoped_lock lock(sink_.shared_->mutex);
    return sink_.shared_->room;
  }
  void begin_prepare(int64_t checkpoint_id, bool end_of_input, Prepared done) override {
    (void)checkpoint_id;
    std::vector<std::string> committables;
    {
      const std::scoped_lock lock(sink_.shared_->mutex);
      if (end_of_input) ++sink_.shared_->num_final_prepares;
      if (!open_.empty()) committables.push_back(committable(sink_.shared_->next_id++));
      if (sink_.shared_->hold) {
        sink_.shared_->held.push_back([done, committables] { done(committables); });
        return;
      }
    }
    done(std::move(committables));
  }
  std::string snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    return fmt::format("writer {} wrote {}", context_.subtask, num_written_);
  }

 private:
  std::string committable(int64_t id) {
    ByteWriter out;
    out.string(std::to_string(id));
    out.varint(open_.size());
    for (const std::string& line : open_) out.string(line);
    open_.clear();
    return out.take();
  }

  const TestSink& sink_;
  SinkWriterContext context_;
  std::vector<std::string> open_;  ///< exactly once: written since the last barrier
  size_t num_written_ = 0;
};

class TestSink::LineCommitter final : public Committer {
 public:
  explicit LineCommitter(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  void commit(const std::vector<std::string>& committables) override {
    const std::scoped_lock lock(shared_->mutex);
    ++shared_->num_commits;
    if (shared_->commit_failures > 0) {
      --shared_->commit_failures;
      throw external_error(4502, "the test's commit failed");
    }
    for (const std::string& committable : committables) {
      ByteReader in(committable);
      if (!shared_->committed.insert(std::string(in.string())).second) continue;
      for (uint64_t i = in.varint(); i > 0; --i) shared_->lines.emplace_back(in.string());
    }
  }

 private:
  std::shared_ptr<Shared> shared_;
};

TestSink::TestSink(BatchLines lines, bool exactly_once) : lines_(std::move(lines)), exactly_once_(exactly_once) {}

std::vector<std::string> TestSink::lines() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->lines;
}

void TestSink::set_room(bool room) {
  std::vector<std::function<void()>> wake_ups;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->room = room;
    wake_ups = shared_->wake_ups;
  }
  for (const auto& wake_up : wake_ups) wake_up();
}

void TestSink::set_commit_failures(int count) {
  const std::scoped_lock lock(shared_->mutex);
  shared_->commit_failures = count;
}

void TestSink::hold_preparing(bool hold) {
  std::vector<std::function<void()>> held;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->hold = hold;
    if (!hold) held = std::exchange(shared_->held, {});
  }
  for (const auto& complete : held) complete();
}

int TestSink::num_commits() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->num_commits;
}

int TestSink::num_final_prepares() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->num_final_prepares;
}

std::vector<std::string> TestSink::restored_states() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->restored_states;
}

std::unique_ptr<SinkWriter> TestSink::create_writer(SinkWriterContext context) const {
  return std::make_unique<Writer>(*this, std::move(context));
}

std::unique_ptr<Committer> TestSink::create_committer() const {
  if (!exactly_once_) return nullptr;
  return std::make_unique<LineCommitter>(shared_);
}

}  // namespace yeoul
