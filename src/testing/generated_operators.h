#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "yeoul/runtime/operator.h"
#include "yeoul/testing/simulation_findings.h"

namespace yeoul {

/// The operators of generated jobs. Their results do not depend on the order of their input, so that a job can be
/// compared with the same job at another parallelism and speed.
enum class SimOperator : uint8_t {
  kMap,        ///< adds to the value; `a` > 0: and draws a new key below it
  kFilter,     ///< drops one id in three
  kOwned,      ///< behind a broadcast: keeps the key groups of its own subtask
  kExplode,    ///< zero to four records of each, as far as there is room
  kHoldBack,   ///< keeps up to `a` records as operator state
  kDedup,      ///< drops ids that it has seen under the key; map state
  kJoin,       ///< two inputs, all pairs of a key; list states
  kAggregate,  ///< count and sum of each key as an update; value state; `a`: 0 each batch, 1 bundled, 2 with a timer
  kWindow,     ///< count and sum of each key and window of `a` ms; map states and timers; `b`: with namespaces
  // Made by a SimOperatorMaker, those of the DataStream API:
  kProcess,       ///< the same by a keyed process function; `b`: in a list state
  kStreamWindow,  ///< the same by a window operator; `b`: windows of 2 `a` ms that begin every `a` ms
  kEnrich,        ///< the same, with the sum of what a broadcast second input has brought until then
};

/// Makes the operators that another module brings, for which that module's classes check nothing.
using SimOperatorMaker =
    std::function<std::shared_ptr<const OperatorFactory>(SimOperator kind, int node, int64_t a, int64_t b)>;

/// An operator with its parameters. Every one also checks what it is given: watermarks only grow, no record is late,
/// nothing follows the end of an input.
/// @param node  distinguishes the ids it makes from those of others
std::shared_ptr<const OperatorFactory> sim_operator(SimOperator kind, int node, int64_t a, int64_t b,
                                                    SimulationFindings& findings);

}  // namespace yeoul
