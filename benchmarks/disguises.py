"""The stored logs of failures as other tools show them: how often the class and the line stay the same.

`nice python -m benchmarks.disguises [NAME...]`: each log of `tests/fixtures/logs/real` in each disguise, beside what is
said of it as it stands. `--journal` takes messages that were provoked (one of each template) in place of these logs.
What a disguise takes away (the head of a traceback, the middle) cannot be named any more: there the class counts, and
the line only where it is still in the text. Spark, Ray and a launcher add an error of their own, which is why their
healthy logs have one. Some minutes; never in CI, where `tests/xladoctor/logs/test_disguised.py` has a few of each.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

LOGS = Path(__file__).parents[1] / "tests" / "fixtures" / "logs" / "real"
Answer = tuple[str, int | None]


def each(before: Callable[[int], str]) -> Callable[[str], str]:
    """Something before each line; `before` gets its number."""
    return lambda text: "".join(f"{before(i)}{line}\n" for i, line in enumerate(text.rstrip("\n").split("\n"), 1))


def spark(text: str) -> str:
    """What Spark's driver prints of a Python worker that failed."""
    head = (
        "Traceback (most recent call last):\n"
        '  File "/home/ada/job.py", line 7, in <module>\n    frame.rdd.mapPartitions(train).collect()\n'
        '  File "/opt/spark/python/pyspark/rdd.py", line 1833, in collect\n'
        "    sock_info = self.ctx._jvm.PythonRDD.collectAndServe(self._jrdd.rdd())\n"
        "py4j.protocol.Py4JJavaError: An error occurred while calling z:org.apache.spark.api.PythonRDD.collect.\n"
        ": org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most "
        "recent failure: Lost task 0.3 in stage 0.0 (TID 3) (10.0.0.7 executor 1): "
        "org.apache.spark.api.python.PythonException: "
    )
    below = (
        "\n\n\tat org.apache.spark.api.python.BasePythonRunner$Reader.handlePythonException(Runner.scala:572)"
        "\n\tat org.apache.spark.rdd.RDD.iterator(RDD.scala:331)\n\tat java.base/java.lang.Thread.run(Thread.java)\n"
        "\nDriver stacktrace:\n\tat org.apache.spark.scheduler.DAGScheduler.failJob(DAGScheduler.scala)\n"
    )
    return head + text.strip("\n") + below


def ray(text: str) -> str:
    """A task's error as Ray raises it again."""
    head = (
        "Traceback (most recent call last):\n"
        '  File "/home/ada/tune.py", line 5, in <module>\n    ray.get(train.remote())\n'
        '  File "/usr/lib/python3.11/site-packages/ray/_private/worker.py", line 2639, in get\n'
        "    raise value.as_instanceof_cause()\n"
        "ray.exceptions.RayTaskError(InvalidArgumentError): \x1b[36mray::train()\x1b[39m (pid=4711, ip=10.0.0.7)\n"
    )
    return head + text


def cut_in_the_middle(text: str) -> str:
    """The frames between the first and the last ones replaced by dots, as people shorten what they paste."""
    lines = text.split("\n")
    frames = [i for i, line in enumerate(lines) if line.startswith('  File "')]
    if len(frames) < 6:
        return text
    return "\n".join([*lines[: frames[2]], "  ...", *lines[frames[-2] :]])


def cut_head(text: str) -> str:
    """What is left when somebody copies from the middle of a traceback to its end."""
    lines = text.split("\n")
    frames = [i for i, line in enumerate(lines) if line.startswith('  File "')]
    return "\n".join(lines[frames[len(frames) // 2] :]) if len(frames) > 3 else text


def json_lines(text: str) -> str:
    """A logger that writes one JSON object for each line."""
    lines = text.rstrip("\n").split("\n")
    return "".join(
        json.dumps({"ts": 1709290000 + i, "level": "error", "logger": "trainer", "message": line}) + "\n"
        for i, line in enumerate(lines)
    )


def retried(text: str) -> str:
    """Three attempts that fail alike, and what a launcher says of them."""
    tries = (f"Attempt {n} of 3\n{text.rstrip()}\nAttempt {n} failed, trying again in {2**n} s\n" for n in (1, 2, 3))
    return "".join(tries) + "launcher: giving up after 3 attempts\n"


def of_ranks(text: str) -> str:
    """Four ranks whose lines alternate, all failing alike."""
    return "".join(f"[rank{n}]: {line}\n" for line in text.rstrip("\n").split("\n") for n in range(4))


def launched(text: str) -> str:
    """The error of a child, and below it the launcher's own."""
    own = (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/site-packages/launcher/run.py", line 61, in main\n    wait(children)\n'
        '  File "/usr/lib/python3.11/site-packages/launcher/run.py", line 48, in wait\n'
        "    raise subprocess.CalledProcessError(child.returncode, child.args)\n"
        "subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.\n"
    )
    return text.rstrip("\n") + "\n" + own


def wrapped(width: int) -> Callable[[str], str]:
    """Cut by a terminal, in the middle of words."""
    return lambda text: "".join(
        line[i : i + width] + "\n" for line in text.rstrip("\n").split("\n") for i in range(0, max(len(line), 1), width)
    )


def mailed(text: str) -> str:
    """Wrapped at words, as mail programs do."""
    lines = (textwrap.wrap(line, 72, break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join("\n".join(part) for part in lines)


def coloured(text: str) -> str:
    """Colours around words, as IPython and pytest put them."""
    return re.sub(r"\b(\w*(?:Error|line|File|in)\b)", "\x1b[0;31m\\1\x1b[0m", text)


def redrawn(text: str) -> str:
    """A progress bar that draws itself again in front of the error, and no newline of its own."""
    bar = "".join(f"\r {n * 10:3d}%|{'#' * n:10}| {n}/10 [00:0{n % 6}<00:01,  4.2it/s]" for n in range(10))
    return bar + text.lstrip("\n")


def in_a_cell(text: str) -> str:
    """The output of a cell of a notebook file."""
    lines = [line + "\n" for line in text.split("\n")]
    outputs = [{"name": "stderr", "output_type": "stream", "text": lines}]
    return json.dumps({"cells": [{"cell_type": "code", "outputs": outputs}]}, indent=1)


def only_header(text: str) -> str:
    """IPython's first line, which names the exception, its first frames, and the message; what is between is cut."""
    lines = text.rstrip("\n").split("\n")
    last = next((i for i in reversed(range(len(lines))) if _RAISED.match(lines[i])), None)
    frames = [i for i, line in enumerate(lines) if line.startswith('  File "')]
    if last is None or not frames or frames[0] > last:
        return text
    name = lines[last].partition(":")[0].rpartition(".")[2]
    head = ["-" * 75, f"{name:40}Traceback (most recent call last)"]
    return "\n".join([*head, *lines[frames[0] : frames[0] + 2], "...", *lines[last:]]) + "\n"


_RAISED = re.compile(r"^[\w.]+(?:Error|Exception)\b")


def one_long_line(text: str) -> str:
    """A status that carries the whole text in one line, behind much else."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'E0000 call failed: payload="{"0123456789abcdef " * 4000}", details = "{escaped}"\n'


DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "Python's logging": each(lambda i: f"2024-03-01 12:00:{i % 60:02},123 ERROR train.runner: "),
    "Spark's logger": each(lambda i: f"24/03/01 12:00:{i % 60:02} ERROR Executor: "),
    "Spark": spark,
    "Ray": ray,
    "a pod's log": each(lambda i: f"2024-03-01T12:00:{i % 60:02}.{i:09}Z stderr F "),
    "GitHub's log": each(lambda i: f"train\tRun tests\t2024-03-01T12:00:{i % 60:02}.{i:07}Z "),
    "Buildkite's log": each(lambda i: f"\x1b_bk;t={1709290000000 + i}\x07"),
    "systemd's journal": each(lambda i: f"Mar 01 12:00:{i % 60:02} gpu-7 train.sh[4711]: "),
    "JSON lines": json_lines,
    "// comments": each(lambda i: "// "),
    "-- comments": each(lambda i: "-- "),
    "% comments": each(lambda i: "% "),
    "; comments": each(lambda i: "; "),
    "* list": each(lambda i: " * "),
    "cut in the middle": cut_in_the_middle,
    "cut head": cut_head,
    "retried": retried,
    "four ranks": of_ranks,
    "launched": launched,
    "one long line": one_long_line,
    "wrapped at 80": wrapped(80),
    "wrapped at 100": wrapped(100),
    "wrapped at 120": wrapped(120),
    "mailed": mailed,
    "# comments": each(lambda i: "# "),
    "> quotes": each(lambda i: "> "),
    "colours": coloured,
    "progress": redrawn,
    "notebook": in_a_cell,
    "only a header": only_header,
}


def _both(outer: str, inner: str, text: str) -> str:
    return DISGUISES[outer](DISGUISES[inner](text))


DISGUISES.update(
    {
        f"{outer} of {inner}": partial(_both, outer, inner)
        for outer, inner in (
            ("GitHub's log", "wrapped at 100"),
            ("# comments", "wrapped at 80"),
            ("> quotes", "cut head"),
            ("JSON lines", "Ray"),
            ("systemd's journal", "progress"),
            ("four ranks", "cut in the middle"),
            ("notebook", "colours"),
            ("wrapped at 120", "Python's logging"),
            ("one long line", "cut in the middle"),
            ("mailed", "cut head"),
            ("Spark's logger", "wrapped at 120"),
            ("// comments", "mailed"),
        )
    }
)


def answer(text: str) -> Answer:
    """Class and line of the first error."""
    found = findings(Evidence("log", log=read_log(io.BytesIO(text.encode()), name="log")))
    root = next((f for f in found if f.level == "error"), None)
    return ("nothing", None) if root is None else (root.slug, root.location.line if root.location else None)


def _provoked(journals: list[Path]) -> dict[str, str]:
    """One text of each template."""
    from benchmarks.provoke.provoked import rows, template

    texts: dict[str, str] = {}
    for row in rows(journals):
        texts.setdefault(f"{row['name']}: {template(row['said'])}", row["said"])
    return texts


def main() -> None:
    """Print a row for each disguise, and what is answered otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="disguises; all where none is named")
    parser.add_argument("--every", type=int, default=1, help="each Nth log only")
    parser.add_argument("--journal", type=Path, action="append", help="provoked messages in place of the stored logs")
    parser.add_argument("--show", action="store_true", help="name the logs that are answered otherwise")
    asked = parser.parse_args()
    logs = (
        dict(list(_provoked(asked.journal).items())[:: asked.every])
        if asked.journal
        else {str(p.relative_to(LOGS)): p.read_text() for p in sorted(LOGS.glob("*/*.log"))[:: asked.every]}
    )
    plain = {name: answer(text) for name, text in logs.items()}
    failing = {name: said for name, said in plain.items() if said[0] != "nothing"}
    print(f"{'disguise':36} {'logs':>5} {'class':>6} {'line':>6} {'false':>6}")
    for disguise in asked.names or DISGUISES:
        said = {name: answer(DISGUISES[disguise](text)) for name, text in logs.items()}
        same = sum(said[name][0] == wanted[0] for name, wanted in failing.items())
        lines = sum(said[name][1] == wanted[1] for name, wanted in failing.items())
        false = sum(said[name][0] != "nothing" for name in logs if name not in failing)
        print(f"{disguise:36} {len(failing):5} {same:6} {lines:6} {false:6}")
        for name, wanted in plain.items() if asked.show else ():
            if said[name] != wanted:
                print(f"    {name}: {wanted} -> {said[name]}")


if __name__ == "__main__":
    main()
