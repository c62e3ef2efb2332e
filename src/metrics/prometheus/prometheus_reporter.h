#pragma once

#include <functional>
#include <string>
#include <thread>

#include "yeoul/common/metric_report.h"

namespace yeoul {

/// Serves metrics over HTTP for Prometheus, on 127.0.0.1 only: GET / or /metrics. Threads: one of its own.
class PrometheusReporter {
 public:
  struct Options {
    std::string ports = "9249";       ///< metrics.reporter.prom.port: a port, or a range as "9250-9260"; 0: a free one
    bool filter_label_values = true;  ///< metrics.reporter.prom.filterLabelValueCharacters
  };

  /// Begins to listen, at the first port that is free.
  /// @param report  called on the reporter's thread for each request
  /// @throws user error 2016 for ports of the wrong form, or none of which is free
  PrometheusReporter(const Options& options, std::function<MetricReport()> report);
  ~PrometheusReporter();

  int port() const { return port_; }

 private:
  void serve(const std::stop_token& stop);
  void refuse(int number);
  void answer(int connection) const;

  bool filter_label_values_;
  std::function<MetricReport()> report_;
  int listener_ = -1;
  int wake_ = -1;  ///< an eventfd that ends the wait for a connection
  int port_ = 0;
  bool told_of_shortage_ = false;
  std::jthread thread_;
};

}  // namespace yeoul
