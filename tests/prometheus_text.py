"""A strict reader of Prometheus' text form, for tests."""
import re
import urllib.request

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
HELP = re.compile(r"# HELP (\S+) \S.*")
TYPE = re.compile(r"# TYPE (\S+) (counter|gauge)")
SAMPLE = re.compile(r"([^\s{]+)(?:\{(.*)\})? (\S+)")


class Sample:
    def __init__(self, name, labels, value):
        self.name, self.labels, self.value = name, labels, value


def labels_of(text):
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        assert found and found[1] not in labels, f"labels {text!r} at {at}"
        labels[found[1]] = re.sub(r"\\(.)", lambda e: {"n": "\n"}.get(e[1], e[1]), found[2])
        at = found.end()
    return labels


def parse(text):
    """All samples. Each name has one block: HELP, TYPE, then its samples, no series twice."""
    assert text.endswith("\n"), "no line break at the end"
    samples, families, series, lines = [], set(), set(), iter(text.splitlines())
    family = None
    for line in lines:
        if found := HELP.fullmatch(line):
            family = found[1]
            assert NAME.fullmatch(family) and family not in families, line
            families.add(family)
            kind = TYPE.fullmatch(next(lines))
            assert kind and kind[1] == family, line
            continue
        found = SAMPLE.fullmatch(line)
        assert found and found[1] == family, line
        sample = Sample(found[1], labels_of(found[2] or ""), float(found[3]))
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in series, f"twice: {line}"
        series.add(key)
        samples.append(sample)
    return samples


def scrape(address):
    """The samples at an address, after the form of the answer was checked."""
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"), answer.headers
        return parse(answer.read().decode())


def values(samples, name, **labels):
    """Values of the samples of a name that have the labels."""
    return [s.value for s in samples if s.name == name and labels.items() <= s.labels.items()]
