#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "yeoul/kafka/native/backoff.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/group_messages.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/topic_messages.h"
#include "yeoul/kafka/protocol/transaction_messages.h"

namespace yeoul {

using QuestionRequest =
    std::variant<MetadataRequest, FindCoordinatorRequest, ListOffsetsRequest, OffsetFetchRequest, OffsetCommitRequest,
                 DescribeConfigsRequest, DescribeClusterRequest, CreateTopicsRequest, DeleteTopicsRequest,
                 DescribeTransactionsRequest, ListTransactionsRequest>;
using QuestionResponse =
    std::variant<MetadataResponse, FindCoordinatorResponse, ListOffsetsResponse, OffsetFetchResponse,
                 OffsetCommitResponse, DescribeConfigsResponse, DescribeClusterResponse, CreateTopicsResponse,
                 DeleteTopicsResponse, DescribeTransactionsResponse, ListTransactionsResponse>;

/// How long and how often a question is asked.
struct QuestionSettings {
  int64_t timeout_ns = 60'000'000'000;     // default.api.timeout.ms
  int64_t backoff_ns = 100'000'000;        // retry.backoff.ms
  int64_t backoff_max_ns = 1'000'000'000;  // retry.backoff.max.ms
};

/// What an answer means: kNone: it is the answer; an error that passes: ask again; any other: it failed.
struct Verdict {
  KafkaError error = KafkaError::kNone;
  std::string about = "";  ///< what the error is about or the broker's own words; possibly empty
  bool final = false;      ///< not to be asked again, though the error may pass
};

/// Something to be asked of the cluster until it is answered: which broker to ask what and when, and what became of it.
/// Errors that pass by themselves, and lost connections, are tried again until the time is up. A state machine without
/// I/O; ClusterClient drives it. Threads: one at a time.
class ClusterQuestion {
 public:
  static constexpr int32_t kAnyBroker = INT32_MIN;
  static constexpr int kNoAnswer = 4001;

  /// @param what  for messages: "looking up offsets"
  ClusterQuestion(std::string what, const QuestionSettings& settings, int64_t now_ns);
  virtual ~ClusterQuestion() = default;
  ClusterQuestion(const ClusterQuestion&) = delete;
  ClusterQuestion& operator=(const ClusterQuestion&) = delete;

  const std::string& what() const { return what_; }
  bool is_done() const { return done_; }
  /// Why it failed; empty: it has not.
  const std::string& failure() const { return failure_; }
  /// Why the last try came to nothing; empty: nothing went wrong yet.
  const std::string& last_reason() const { return last_reason_; }
  /// The code of the external error that the failure is: 4001, or 4011 for a broker that is too old.
  int failure_code() const { return failure_code_; }
  /// When the time is up, or it may be asked again.
  int64_t due_at_ns(int64_t now_ns) const;
  /// Gives up when the time is up.
  void on_time(int64_t now_ns);
  /// It cannot be asked: e.g. a broker is too old.
  void fail(std::string reason, int code = kNoAnswer);

  /// Topics whose leaders it needs.
  virtual std::set<std::string> topics() const { return {}; }
  /// The brokers to ask now; kAnyBroker among them.
  virtual std::set<int32_t> targets(ClusterView& cluster, int64_t now_ns) = 0;
  /// The request for one of targets(), which is then on its way.
  virtual QuestionRequest take_request(int32_t target, const ClusterView& cluster) = 0;
  /// The newest version in which its requests can be sent.
  virtual int16_t newest_version() const { return kNewestVersion; }
  /// @param broker  for messages, who answered
  virtual void on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                         ClusterView& cluster, int64_t now_ns) = 0;
  /// A request got no answer.
  virtual void on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) = 0;
  /// There is no connection to a target: nothing was sent.
  virtual void on_unreachable(int32_t target, const std::string& reason, ClusterView& cluster);

 protected:
  bool may_ask(int64_t now_ns) const { return !done_ && not_before_ns_ <= now_ns; }
  void succeed() { done_ = true; }
  void note(std::string reason) { last_reason_ = std::move(reason); }
  void retry_later(std::string reason, int64_t now_ns);
  /// What an error of an answer leads to: false: it is none.
  bool judge(const Verdict& verdict, const std::string& broker, ClusterView& cluster, int64_t now_ns);

 private:
  std::string what_;
  int64_t timeout_ns_;
  int64_t deadline_ns_;
  Backoff backoff_;
  int64_t not_before_ns_ = 0;
  bool done_ = false;
  std::string last_reason_;
  std::string failure_;
  int failure_code_ = kNoAnswer;
};

/// A request that any broker answers, or the controller, as a whole.
class BrokerQuestion : public ClusterQuestion {
 public:
  enum class Whom { kAnyBroker, kController };
  /// @param take  looks at the answer and keeps what it wants of it
  BrokerQuestion(std::string what, Whom whom, QuestionRequest request,
                 std::function<Verdict(const QuestionResponse&)> take, const QuestionSettings& settings,
                 int64_t now_ns);

  std::set<int32_t> targets(ClusterView& cluster, int64_t now_ns) override;
  QuestionRequest take_request(int32_t target, const ClusterView& cluster) override;
  void on_answer(int32_t target, const std::string& broker, const QuestionResponse& response, ClusterView& cluster,
                 int64_t now_ns) override;
  void on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) override;

 private:
  Whom whom_;
  QuestionRequest request_;
  std::function<Verdict(const QuestionResponse&)> take_;
  bool on_its_way_ = false;
};

}  // namespace yeoul
