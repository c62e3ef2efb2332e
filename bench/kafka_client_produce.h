#pragma once

/// `bench_kafka_client produce`: Yeoul's own producer beside librdkafka's (kafka_produce). @return the exit code
int bench_produce(int argc, char** argv);
