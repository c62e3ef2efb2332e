#include "yeoul/testing/kafka/model_coordinator.h"

#include <algorithm>

namespace yeoul {

ModelCoordinator::Answer ModelCoordinator::init(const std::string& transactional_id, const ModelIdentity& given) {
  const auto [found, is_new] = transactions_.try_emplace(transactional_id);
  Transaction& transaction = found->second;
  if (is_new) {
    transaction.identity = next_identity();
    return {KafkaError::kNone, transaction.identity};
  }
  ModelIdentity& identity = transaction.identity;
  if (given.id >= 0 && given.id != identity.id) return {KafkaError::kInvalidProducerEpoch};
  if (given.id >= 0 && given.epoch != identity.epoch) {
    // Asked again by who did not hear of the answer.
    const bool again = given.epoch == identity.epoch - 1 && !transaction.bumped && !transaction.fenced &&
                       (transaction.state == State::kEmpty);
    return again ? Answer{KafkaError::kNone, identity} : Answer{KafkaError::kProducerFenced};
  }
  if (transaction.state == State::kEnding) return {KafkaError::kConcurrentTransactions};
  if (transaction.state == State::kOngoing) {
    begin_end(transaction, false, true);
    transaction.fenced = true;
    return {KafkaError::kConcurrentTransactions};
  }
  identity.epoch = static_cast<int16_t>(identity.epoch + 1);
  transaction.state = State::kEmpty;
  transaction.bumped = transaction.fenced = false;
  return {KafkaError::kNone, identity};
}

KafkaError ModelCoordinator::add(const std::string& transactional_id, const ModelIdentity& who,
                                 const TopicPartition& partition) {
  const auto found = transactions_.find(transactional_id);
  if (found == transactions_.end() || found->second.identity.id != who.id) return KafkaError::kInvalidProducerIdMapping;
  Transaction& transaction = found->second;
  if (who.epoch != transaction.identity.epoch) return KafkaError::kProducerFenced;
  if (transaction.state == State::kEnding) return KafkaError::kConcurrentTransactions;
  if (transaction.state != State::kOngoing) transaction.partitions.clear();
  transaction.state = State::kOngoing;
  transaction.partitions.insert(partition);
  return KafkaError::kNone;
}

KafkaError ModelCoordinator::admit(const std::string& transactional_id, const ModelIdentity& who,
                                   const TopicPartition& partition, bool implicit) {
  if (implicit) {
    const KafkaError error = add(transactional_id, who, partition);
    return error == KafkaError::kProducerFenced ? KafkaError::kInvalidProducerEpoch : error;
  }
  const auto found = transactions_.find(transactional_id);
  if (found == transactions_.end()) return KafkaError::kInvalidProducerIdMapping;
  const Transaction& transaction = found->second;
  if (who != transaction.identity) return KafkaError::kInvalidProducerEpoch;
  const bool open = transaction.state == State::kOngoing && transaction.partitions.contains(partition);
  return open ? KafkaError::kNone : KafkaError::kInvalidTxnState;
}

ModelCoordinator::Answer ModelCoordinator::end(const std::string& transactional_id, const ModelIdentity& who,
                                               bool commit, bool bumps) {
  const auto found = transactions_.find(transactional_id);
  if (found == transactions_.end() || found->second.identity.id != who.id) {
    return {KafkaError::kInvalidProducerIdMapping};
  }
  Transaction& transaction = found->second;
  const bool ended = transaction.state == State::kEnding || transaction.state == State::kComplete;
  const auto epoch_at_end = static_cast<int16_t>(transaction.identity.epoch - (transaction.bumped ? 1 : 0));
  if (ended && who.epoch == epoch_at_end && transaction.commit == commit && !transaction.fenced) {
    // Said again by who did not hear of the answer.
    if (transaction.state == State::kEnding) return {KafkaError::kConcurrentTransactions};
    return {KafkaError::kNone, bumps ? transaction.identity : ModelIdentity{}};
  }
  if (who.epoch != transaction.identity.epoch) return {KafkaError::kProducerFenced};
  if (transaction.state == State::kEnding) return {KafkaError::kConcurrentTransactions};
  // Version 5 may abort what has no partitions: a producer moves its epoch so when it does not know what arrived.
  if (transaction.state != State::kOngoing && (commit || !bumps)) return {KafkaError::kInvalidTxnState};
  begin_end(transaction, commit, bumps);
  return {KafkaError::kNone, bumps ? transaction.identity : ModelIdentity{}};
}

void ModelCoordinator::begin_end(Transaction& transaction, bool commit, bool bumps) {
  transaction.state = State::kEnding;
  transaction.commit = commit;
  transaction.bumped = bumps;
  transaction.fenced = false;
  if (bumps) transaction.identity.epoch = static_cast<int16_t>(transaction.identity.epoch + 1);
  transaction.marker = transaction.identity;
}

bool ModelCoordinator::has_unwritten_ends() const {
  return std::any_of(transactions_.begin(), transactions_.end(),
                     [](const auto& entry) { return entry.second.state == State::kEnding; });
}

void ModelCoordinator::write_ends() {
  for (auto& [id, transaction] : transactions_) {
    if (transaction.state != State::kEnding) continue;
    for (const TopicPartition& partition : transaction.partitions) {
      write_marker_(partition, transaction.marker, transaction.commit);
    }
    transaction.partitions.clear();
    transaction.state = State::kComplete;
    return;
  }
}

}  // namespace yeoul
