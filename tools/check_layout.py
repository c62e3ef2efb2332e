#!/usr/bin/env python3
"""Checks what the compiler does not: who may use whom, how large files are, what is called where, and formatting.

The build gives each module only the include folders of the modules it names. This check says whether it may name
them (docs/architecture.md, section 2), and closes the ways around: `..`, short includes, files nobody lists.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER_LINES, SOURCE_LINES = 400, 1000

# Which modules a module may use, in DEPS or PRIVATE_DEPS, and through them what they use in turn. A name ending in /*
# stands for every module below; the first matching row counts.
ALLOWED = {
    "common": [],
    "types": ["common"],
    "state/api": ["types"],
    "state/hashmap": ["state/api"],
    "state/rocksdb": ["state/api"],
    "formats/api": ["types"],
    "formats/debezium_json": ["formats/api", "formats/json"],
    "formats/canal_json": ["formats/api", "formats/json"],
    "formats/maxwell_json": ["formats/api", "formats/json"],
    "formats/debezium_avro": ["formats/api", "formats/avro", "net"],
    "formats/avro_confluent": ["formats/api", "formats/avro", "net"],
    "formats/*": ["formats/api"],
    "connectors/api": ["types", "formats/api"],
    "connectors/base": ["connectors/api"],
    "connectors/kafka": ["connectors/base", "connectors/api", "formats/api", "kafka/client"],
    "connectors/*": ["connectors/base", "connectors/api", "formats/api"],
    "metrics/*": ["common"],
    "net": ["common"],
    "kafka/protocol": ["common"],
    "kafka/security": ["net"],
    "kafka/native": ["kafka/protocol", "kafka/security", "net"],
    "kafka/client": ["kafka/native", "kafka/protocol", "kafka/security", "net"],
    "runtime": ["types", "state/api", "connectors/api"],
    "datastream": ["runtime", "formats/json", "state/hashmap"],
    "sql/parser": ["common"],
    "sql/functions": ["types"],
    "sql/catalog": ["types", "connectors/api", "formats/api"],
    "sql/binder": ["sql/parser", "sql/catalog", "sql/functions"],
    "sql/planner": ["sql/binder"],
    "sql/operators": ["runtime", "sql/functions"],
    "sql/translator": ["sql/planner", "sql/operators"],
    "engine": ["datastream", "sql/translator"],
    "table": ["engine", "datastream", "builtins"],
    "builtins": ["connectors/*", "formats/*", "state/*"],
    "testing": ["runtime", "kafka/client"],
    "testing/datastream": ["testing", "datastream"],
    "testing/kafka": ["testing", "kafka/native"],
    "gateway": ["engine", "net"],
    "cli": ["engine", "builtins", "gateway", "metrics/*"],
    "python": ["engine", "builtins", "datastream"],
}

# What stands behind these is not for their users to name: command line, REST and Python all go through the engine.
FACADES = {"engine", "builtins", "gateway"}

# Calls that belong to `common`, where tests can replace what they do.
BANNED = {
    r"\bsystem_clock::now\b": "take the time from a Clock (common/clock.h)",
    r"\bsteady_clock::now\b": "take the time from a Clock (common/clock.h)",
    r"\bhigh_resolution_clock\b": "take the time from a Clock (common/clock.h)",
    r"(?<![\w:.>])s?rand\(": "take random numbers from an interface that a test can seed",
    r"\bsleep_(?:for|until)\b": "wait for a condition (WakeUp, common/threads.h)",
    r"(?<![\w:.>])u?sleep\(": "wait for a condition (WakeUp, common/threads.h)",
    # A std::jthread that start_thread has started may be held.
    r"\bstd::thread\b(?!::)|\bstd::jthread\s*\w*\s*[({]": "start threads with start_thread or a ThreadPool (common/threads.h)",
    r"\bstd::async\b": "use a ThreadPool (common/threads.h)",
}

ADD_MODULE = re.compile(r"\badd_module\s*\(([^)]*)\)")
LISTED_FILE = re.compile(r"[\w/.+-]+\.(?:cpp|h)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
KEYWORDS = {"SRCS", "HDRS", "DEPS", "PRIVATE_DEPS", "LIBS"}


class Module:
    def __init__(self, path, cmake_file):
        self.path, self.cmake_file = path, cmake_file
        self.public, self.private = [], []


def arguments_of(text):
    """The words of a CMake call, grouped by our keywords; what stands before the first keyword is under ''."""
    groups, keyword = {"": []}, ""
    for word in text.replace('"', " ").split():
        if word in KEYWORDS:
            keyword = word
            groups.setdefault(keyword, [])
        else:
            groups[keyword].append(word)
    return groups


def read_modules(src):
    """Returns the modules by path, and every file that any target lists."""
    modules, listed = {}, set()
    for cmake_file in sorted(src.rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", cmake_file.read_text())
        listed.update(cmake_file.parent / name for name in LISTED_FILE.findall(text))
        for body in ADD_MODULE.findall(text):
            groups = arguments_of(body)
            module = Module(groups[""][0], cmake_file)
            module.public, module.private = groups.get("DEPS", []), groups.get("PRIVATE_DEPS", [])
            modules[module.path] = module
    return modules, listed


def matches(name, pattern):
    return name.startswith(pattern[:-1]) if pattern.endswith("/*") else name == pattern


def row_of(path):
    for pattern, names in ALLOWED.items():
        if matches(path, pattern):
            return names
    return None


def may_use(path):
    """The names and patterns that a module may name: its row, and the rows of what stands in it."""
    found, todo = {"common"}, list(row_of(path))
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            if name not in FACADES and not name.endswith("/*"):
                todo += row_of(name)
    return found


def check_edges(modules, complain):
    for module in modules.values():
        where = module.cmake_file.relative_to(ROOT)
        if row_of(module.path) is None:
            complain(where, f"module {module.path} stands in no row of the table in tools/check_layout.py")
            continue
        allowed = may_use(module.path)
        for name in [*module.public, *module.private]:
            if not any(matches(name, pattern) for pattern in allowed):
                complain(where, f"{module.path} may not use {name} (allowed: {', '.join(sorted(allowed))})")


def reachable(modules, path):
    """The modules whose headers a module sees: the ones it names, and what these pass on."""
    module = modules[path]
    seen, todo = {path}, [*module.public, *module.private]
    while todo:
        name = todo.pop()
        if name not in seen and name in modules:
            seen.add(name)
            todo += modules[name].public
    return seen


def module_of(modules, path):
    """The innermost module that holds a path below src/ (without a leading slash)."""
    parts = path.split("/")
    for end in range(len(parts) - 1, 0, -1):
        if "/".join(parts[:end]) in modules:
            return "/".join(parts[:end])
    return None


def is_test(path):
    return path.stem.endswith("_test") or "/testing/" in path.as_posix()


def check_includes(path, text, modules, sees, complain):
    for bracket, target in INCLUDE.findall(text):
        line = text[:text.find(target)].count("\n") + 1
        where = f"{path.relative_to(ROOT)}:{line}"
        if ".." in target.split("/"):
            complain(where, f'"{target}": no .. in an include')
        elif bracket == '"' and not target.startswith("yeoul/"):
            complain(where, f'"{target}": our headers are included as "yeoul/<module>/<file>.h", others in < >')
        elif target.startswith("yeoul/") and sees is not None:
            used = module_of(modules, target.removeprefix("yeoul/"))
            if used is None:
                complain(where, f'"{target}" belongs to no module')
            elif used not in sees:
                complain(where, f"uses {used}, which its module does not name (it sees: {', '.join(sorted(sees))})")


def without_comments(text):
    """Blanks comments, strings and characters, keeping the line structure."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)


def check_calls(path, text, complain):
    code = without_comments(text)
    for pattern, advice in BANNED.items():
        for found in re.finditer(pattern, code):
            line = code[:found.start()].count("\n") + 1
            complain(f"{path.relative_to(ROOT)}:{line}", f"{found[0].strip('(')}: {advice}")


def check_files(src, modules, listed, complain):
    sees = {path: reachable(modules, path) for path in modules}
    for path in sorted([*src.rglob("*.h"), *src.rglob("*.cpp")]):
        where = path.relative_to(ROOT)
        text = path.read_text()
        limit = HEADER_LINES if path.suffix == ".h" else SOURCE_LINES
        if (length := text.count("\n")) > limit:
            complain(where, f"{length} lines; the limit is {limit}: split it by what it holds")
        if path not in listed:
            complain(where, "no CMakeLists.txt lists this file (a header for its own module only stands in SRCS)")
        home = module_of(modules, path.relative_to(src).as_posix())
        check_includes(path, text, modules, None if is_test(path) or home is None else sees[home], complain)
        if home != "common":
            check_calls(path, text, complain)


def check_format(complain):
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.h", "*.cpp"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = [name for name in files if (ROOT / name).exists()]
    half = [files[0::2], files[1::2]]
    runs = [subprocess.Popen(["clang-format-16", "--dry-run", "-Werror", *part], cwd=ROOT, text=True,
                             stderr=subprocess.PIPE) for part in half if part]
    for run in runs:
        bad = sorted({line.split(":")[0] for line in run.communicate()[1].splitlines() if " error: " in line})
        for name in bad:
            complain(name, "not formatted; run: clang-format-16 -i " + name)


def main():
    parser = argparse.ArgumentParser(prog="tools/check_layout.py", description=__doc__.splitlines()[0])
    parser.add_argument("--no-format", action="store_true", help="leave clang-format out")
    options = parser.parse_args()
    complaints = []
    modules, listed = read_modules(ROOT / "src")

    def complain(where, what):
        complaints.append(f"{where}: {what}")

    check_edges(modules, complain)
    check_files(ROOT / "src", modules, listed, complain)
    if not options.no_format:
        check_format(complain)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(modules)} modules, {len(listed)} files, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
