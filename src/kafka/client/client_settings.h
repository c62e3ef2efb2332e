#pragma once

#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/native/cluster_client.h"
#include "yeoul/kafka/native/cluster_question.h"
#include "yeoul/kafka/native/fetch_consumer.h"
#include "yeoul/kafka/native/produce_client.h"

namespace yeoul {

/// What a client of kafka/native is told by the properties of a user. Reads key stores.
/// @throws user error 2010, 2013 or 2017 for what is wrong with how connections are to be secured
ClusterClientSettings cluster_client_settings(const ClientProperties& properties);
/// The same for one that reads. It waits for brokers for ever, as Java's does: lost connections come back.
FetchConsumerSettings fetch_consumer_settings(const ClientProperties& properties);
/// The same for one that writes.
ProduceClientSettings produce_client_settings(const ClientProperties& properties);
/// Makes of these properties all that a client needs to begin: so what contradicts itself, and a key store that cannot
/// be read, shows before anything runs. @throws as the functions above
void check_client(const ClientProperties& properties);
QuestionSettings question_settings(const ClientProperties& properties);
/// `isolation.level`.
bool reads_committed(const ClientProperties& properties);

}  // namespace yeoul
