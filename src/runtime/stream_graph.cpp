#include "yeoul/runtime/stream_graph.h"

#include <algorithm>

namespace yeoul {

int StreamGraph::add_source(std::string name, std::string uid, int parallelism, std::shared_ptr<const Source> source,
                            std::shared_ptr<const SourceWatermarkStrategy> watermarks) {
  StreamNode node{.id = static_cast<int>(nodes_.size()),
                  .name = std::move(name),
                  .uid = std::move(uid),
                  .parallelism = parallelism,
                  .source = std::move(source),
                  .watermarks = std::move(watermarks)};
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

int StreamGraph::add_operator(std::string name, std::string uid, int parallelism, int num_inputs,
                              std::shared_ptr<const OperatorFactory> factory) {
  StreamNode node{.id = static_cast<int>(nodes_.size()),
                  .name = std::move(name),
                  .uid = std::move(uid),
                  .parallelism = parallelism,
                  .operator_factory = std::move(factory),
                  .num_inputs = num_inputs};
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

int StreamGraph::add_sink(std::string name, std::string uid, int parallelism, std::shared_ptr<const Sink> sink) {
  StreamNode node{.id = static_cast<int>(nodes_.size()),
                  .name = std::move(name),
                  .uid = std::move(uid),
                  .parallelism = parallelism,
                  .sink = std::move(sink),
                  .num_inputs = 1};
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

void StreamGraph::connect(StreamEdge edge) {
  edges_.push_back(std::move(edge));
}

bool StreamGraph::bounded() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const StreamNode& node) { return !node.source || node.source->bounded(); });
}

}  // namespace yeoul
