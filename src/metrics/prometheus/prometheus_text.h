#pragma once

#include <string>

#include "yeoul/common/metric_report.h"

namespace yeoul {

/// A report in Prometheus' text form 0.0.4, with the names and labels of Flink's Prometheus reporter: `flink_`, the
/// scope and the name joined by `_`, each as a gauge.
/// @param filter_label_values  what is not a letter, digit, ':' or '_' in a label's value becomes '_'
///                             (metrics.reporter.prom.filterLabelValueCharacters)
std::string prometheus_text(const MetricReport& report, bool filter_label_values);

/// Processor time, memory and start of this process, under the names that Prometheus' own client libraries use.
std::string process_metrics_text();

}  // namespace yeoul
