#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "yeoul/datastream/broadcast_operator.h"
#include "yeoul/datastream/keyed_stream.h"

namespace yeoul {

/// Adds an operator with two inputs and side outputs.
template <class Out, class First, class Second>
DataStream<Out> add_two_input_operator(const First& first, const Second& second, std::string name,
                                       std::shared_ptr<ConnectedTags> tags,
                                       std::shared_ptr<const OperatorFactory> factory) {
  const int node =
      first.state().plan.add_operator(std::move(name), std::move(factory), {first.inputs(), second.inputs()});
  return DataStream<Out>(first.shared_state(), node, std::move(tags));
}

/// True for a class that derives from the given Co…Function of these two types of records.
template <class F, template <class, class, class> class Base, class T1, class T2>
constexpr bool is_co_function() {
  if constexpr (requires { typename F::Output; }) {
    return std::is_base_of_v<Base<T1, T2, typename F::Output>, F>;
  } else {
    return false;
  }
}

/// What connected streams have with keys and without. Self has add(name, function).
template <class Self, class T1, class T2>
class CoTransformations {
 public:
  /// A CoMapFunction; on keyed streams it may keep states of the record's key, taken in open().
  template <class F>
  auto map(F function) const {
    constexpr bool kFits = is_co_function<F, CoMapFunction, T1, T2>();
    static_assert(kFits,
                  "Yeoul: map() on connected streams needs a class that derives from CoMapFunction<In1, In2, Out>");
    if constexpr (kFits) return self().add("Co-Map", std::move(function));
  }
  /// A CoFlatMapFunction; on keyed streams it may keep states of the record's key, taken in open().
  template <class F>
  auto flat_map(F function) const {
    constexpr bool kFits = is_co_function<F, CoFlatMapFunction, T1, T2>();
    static_assert(
        kFits,
        "Yeoul: flat_map() on connected streams needs a class that derives from CoFlatMapFunction<In1, In2, Out>");
    if constexpr (kFits) return self().add("Co-Flat Map", std::move(function));
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

/// Two streams without keys before one function. Threads: one.
template <class T1, class T2>
class ConnectedStreams : public CoTransformations<ConnectedStreams<T1, T2>, T1, T2> {
 public:
  ConnectedStreams(DataStream<T1> first, DataStream<T2> second) : first_(std::move(first)), second_(std::move(second)) {
    check_same_environment("connect()", first_, second_);
  }

  /// A CoProcessFunction.
  template <class F>
  auto process(F function) const {
    constexpr bool kFits = is_co_function<F, CoProcessFunction, T1, T2>();
    static_assert(
        kFits,
        "Yeoul: process() on connected streams needs a class that derives from CoProcessFunction<In1, In2, Out>");
    if constexpr (kFits) return add("Co-Process", std::move(function));
  }
  /// The same streams by keys of one type.
  template <class F1, class F2>
  auto key_by(F1 key1, F2 key2) const {
    return first_.key_by(std::move(key1)).connect(second_.key_by(std::move(key2)));
  }

 private:
  friend class CoTransformations<ConnectedStreams, T1, T2>;
  template <class F>
  auto add(std::string name, F function) const {
    auto tags = std::make_shared<ConnectedTags>();
    return add_two_input_operator<typename F::Output>(
        first_, second_, std::move(name), tags,
        operator_factory<CoOperator<F>>(std::shared_ptr<const ConnectedTags>(tags), std::move(function)));
  }

  DataStream<T1> first_;
  DataStream<T2> second_;
};

/// Two streams of the same keys before one function. Threads: one.
template <class T1, class T2, class K>
class KeyedConnectedStreams : public CoTransformations<KeyedConnectedStreams<T1, T2, K>, T1, T2> {
 public:
  KeyedConnectedStreams(KeyedStream<T1, K> first, KeyedStream<T2, K> second)
      : first_(std::move(first)), second_(std::move(second)) {
    check_same_environment("connect()", first_, second_);
  }

  /// A KeyedCoProcessFunction.
  template <class F>
  auto process(F function) const {
    constexpr bool kFits = [] {
      if constexpr (requires { typename F::Output; }) {
        return std::is_base_of_v<KeyedCoProcessFunction<K, T1, T2, typename F::Output>, F>;
      } else {
        return false;
      }
    }();
    static_assert(kFits,
                  "Yeoul: process() on connected keyed streams needs a class that derives from "
                  "KeyedCoProcessFunction<K, In1, In2, Out>, with K the type of the keys");
    if constexpr (kFits) return add("Co-Keyed-Process", std::move(function));
  }

 private:
  friend class CoTransformations<KeyedConnectedStreams, T1, T2>;
  template <class F>
  auto add(std::string name, F function) const {
    auto tags = std::make_shared<ConnectedTags>();
    return add_two_input_operator<typename F::Output>(
        first_, second_, std::move(name), tags,
        keyed_operator_factory<KeyedCoOperator<K, F>>(std::shared_ptr<const ConnectedTags>(tags), first_.extractor(),
                                                      second_.extractor(), std::move(function)));
  }

  KeyedStream<T1, K> first_;
  KeyedStream<T2, K> second_;
};

/// A stream of which every subtask gets every record, with the maps that may be kept of them. Threads: one.
template <class T, class... Maps>
class BroadcastStream {
 public:
  BroadcastStream(DataStream<T> stream, Maps... maps) : stream_(std::move(stream)), maps_(std::move(maps)...) {}

  template <class First>
  BroadcastConnectedStream<T, DataStream<First>, Maps...> connected_to(const DataStream<First>& first) const {
    return {first, *this};
  }
  template <class First, class K>
  BroadcastConnectedStream<T, KeyedStream<First, K>, Maps...> connected_to(const KeyedStream<First, K>& first) const {
    return {first, *this};
  }

  const DataStream<T>& stream() const { return stream_; }
  const std::tuple<Maps...>& maps() const { return maps_; }

 private:
  DataStream<T> stream_;
  std::tuple<Maps...> maps_;
};

/// A stream, keyed or not, beside a broadcast one. Threads: one.
template <class T, class Stream, class... Maps>
class BroadcastConnectedStream {
 public:
  BroadcastConnectedStream(Stream stream, BroadcastStream<T, Maps...> broadcast)
      : stream_(std::move(stream)), broadcast_(std::move(broadcast)) {
    check_same_environment("connect()", stream_, broadcast_.stream());
  }

  /// A BroadcastProcessFunction, or a KeyedBroadcastProcessFunction where the stream is keyed.
  template <class F>
  auto process(F function) const {
    constexpr bool kFits = fits<F>();
    static_assert(kFits,
                  "Yeoul: process() beside a broadcast stream needs a class that derives from "
                  "BroadcastProcessFunction<In, Broadcast, Out>, or for a keyed stream from "
                  "KeyedBroadcastProcessFunction<K, In, Broadcast, Out>");
    if constexpr (kFits) {
      auto tags = std::make_shared<ConnectedTags>();
      return add_two_input_operator<typename F::Output>(stream_, broadcast_.stream(), "Co-Process-Broadcast", tags,
                                                        make_factory(tags, std::move(function)));
    }
  }

 private:
  using In = typename Stream::RecordType;
  static constexpr bool kKeyed = requires { typename Stream::KeyType; };

  template <class F>
  static constexpr bool fits() {
    if constexpr (!requires { typename F::Output; }) {
      return false;
    } else if constexpr (kKeyed) {
      using Base = KeyedBroadcastProcessFunction<typename Stream::KeyType, In, T, typename F::Output>;
      return std::is_base_of_v<Base, F>;
    } else {
      return std::is_base_of_v<BroadcastProcessFunction<In, T, typename F::Output>, F>;
    }
  }
  template <class F>
  std::shared_ptr<const OperatorFactory> make_factory(std::shared_ptr<const ConnectedTags> tags, F function) const {
    using Op = BroadcastOperator<F, Maps...>;
    return std::apply(
        [&](const Maps&... maps) -> std::shared_ptr<const OperatorFactory> {
          if constexpr (kKeyed) {
            return keyed_operator_factory<Op>(std::move(tags), stream_.extractor(), std::move(function), maps...);
          } else {
            return operator_factory<Op>(std::move(tags), std::shared_ptr<const KeyExtractor<In>>(), std::move(function),
                                        maps...);
          }
        },
        broadcast_.maps());
  }

  Stream stream_;
  BroadcastStream<T, Maps...> broadcast_;
};

}  // namespace yeoul
