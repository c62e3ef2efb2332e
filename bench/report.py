"""The results as a table, as JSON and as a plot."""
import html
import json
import statistics

COLOURS = {"yeoul": "#1b6ca8", "own client": "#1b6ca8", "java": "#e07b39", "yeoul C++": "#4aa3df", "by hand": "#8a8a8a", "librdkafka": "#c4c4c4", "flink": "#e07b39"}


class Result:
    """All runs of a contender at a job, on one core or not."""

    def __init__(self, job, contender, mode, rows, bytes_, start_up, costs):
        self.job = job
        self.contender = contender
        self.mode = mode
        self.rows = rows
        self.bytes = bytes_
        self.start_up = start_up
        self.costs = costs
        self.nanos = sorted(1e9 * max(cost.cpu - start_up.cpu, 0) / rows for cost in costs)

    def median(self, figure):
        return statistics.median(figure(cost) for cost in self.costs)

    @property
    def cpu_ns(self):
        """CPU time of a row in the median run, start-up apart."""
        return statistics.median(self.nanos)

    @property
    def wall_to_cpu(self):
        """How long it took for each second of CPU time, start-up apart: 1 if one thread never waits."""
        return self.median(lambda cost: (cost.seconds - self.start_up.seconds) / max(cost.cpu - self.start_up.cpu, 1e-9))

    @property
    def rows_per_second(self):
        return self.median(lambda cost: self.rows / max(cost.seconds - self.start_up.seconds, 1e-9))

    def as_dict(self):
        return {
            "job": self.job, "contender": self.contender, "mode": self.mode, "rows": self.rows, "bytes": self.bytes,
            "cpu_ns_per_row": self.cpu_ns, "cpu_ns_per_row_of_runs": self.nanos,
            "rows_per_second": self.rows_per_second,
            "bytes_per_second": self.rows_per_second * self.bytes / self.rows, "wall_to_cpu": self.wall_to_cpu,
            "memory_mb": self.median(lambda cost: cost.memory_mb), "seconds": self.median(lambda cost: cost.seconds),
            "start_up_cpu_seconds": self.start_up.cpu, "start_up_seconds": self.start_up.seconds,
        }


def ratio(result, results, contender):
    """How much more CPU time another contender needs at the same job in the same mode, None if it did not run."""
    for other in results:
        if (other.job, other.mode, other.contender) == (result.job, result.mode, contender):
            return result.cpu_ns / other.cpu_ns if other.cpu_ns > 0 else None
    return None


def markdown(results):
    lines = ["| job | | | CPU ns a row (least to most) | to by hand | to librdkafka | wall to CPU | rows/s | MB/s | peak MB | "
             "s a run | start-up CPU / wall s |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for result in results:
        ratios = [ratio(result, results, name) for name in ("by hand", "librdkafka")]
        row = result.as_dict()
        lines.append("| " + " | ".join([
            result.job, result.contender, result.mode,
            f"{result.cpu_ns:,.0f} ({result.nanos[0]:,.0f} to {result.nanos[-1]:,.0f})",
            *(f"{r:.2f}" if r is not None else "" for r in ratios), f"{result.wall_to_cpu:.2f}",
            f"{row['rows_per_second']:,.0f}",
            f"{row['bytes_per_second'] / 1e6:,.0f}", f"{row['memory_mb']:,.0f}", f"{row['seconds']:.1f}",
            f"{result.start_up.cpu:.2f} / {result.start_up.seconds:.2f}"]) + " |")
    return "\n".join(lines) + "\n"


def svg(results):
    """Bars of CPU time a row, a group for each job and mode. A bar that would dwarf the others is cut, with its number."""
    bar, gap, left, width = 16, 14, 150, 520
    others = [result.cpu_ns for result in results if result.contender != "flink"]
    longest = 1.15 * max(others or [result.cpu_ns for result in results])
    shapes, y, group = [], 34, None
    for result in results:
        if group not in (None, (result.job, result.mode)):
            y += gap
        if group != (result.job, result.mode):
            group = (result.job, result.mode)
            shapes.append(f'<text x="8" y="{y + 12}" font-weight="bold">{html.escape(result.job)}</text>'
                          f'<text x="8" y="{y + 26}" fill="#777" font-size="10">{html.escape(result.mode)}</text>')
        length = width * min(result.cpu_ns / longest, 1)
        cut = " (cut)" if result.cpu_ns > longest else ""
        label = html.escape(f"{result.contender}: {result.cpu_ns:,.0f} ns{cut}")
        colour = COLOURS.get(result.contender, "#999999")
        shapes.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 3}" fill="{colour}"/>'
                      f'<text x="{left + length + 5:.1f}" y="{y + 11}">{label}</text>')
        y += bar
    height = y + 16
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 170}" height="{height}" '
            f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
            f'<text x="8" y="18" font-size="14">CPU nanoseconds a row, start-up apart, median</text>'
            + "".join(shapes) + "</svg>\n")


def write(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps([result.as_dict() for result in results], indent=1) + "\n")
    (folder / "results.md").write_text(markdown(results))
    (folder / "results.svg").write_text(svg(results))
