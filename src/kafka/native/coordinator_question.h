#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "yeoul/kafka/native/cluster_question.h"
#include "yeoul/kafka/native/cluster_view.h"

namespace yeoul {

/// A request to the coordinator of a group or of a transactional.id, which is found first, and again when it has moved.
/// A state machine without I/O. Threads: one at a time.
class CoordinatorQuestion : public ClusterQuestion {
 public:
  CoordinatorQuestion(std::string what, CoordinatorKey key, const QuestionSettings& settings, int64_t now_ns);

  std::set<int32_t> targets(ClusterView& cluster, int64_t now_ns) override;
  QuestionRequest take_request(int32_t target, const ClusterView& cluster) override;
  void on_answer(int32_t target, const std::string& broker, const QuestionResponse& response, ClusterView& cluster,
                 int64_t now_ns) override;
  void on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) override;
  void on_unreachable(int32_t target, const std::string& reason, ClusterView& cluster) override;

 protected:
  /// The group or the transactional.id.
  const std::string& id() const { return key_.id; }
  virtual QuestionRequest request() const = 0;
  /// What the coordinator answered; without an error the question is answered.
  virtual Verdict take(const QuestionResponse& response) = 0;

 private:
  void on_coordinator(const std::string& broker, const FindCoordinatorResponse& response, ClusterView& cluster,
                      int64_t now_ns);

  CoordinatorKey key_;
  bool on_its_way_ = false;
};

}  // namespace yeoul
