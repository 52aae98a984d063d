"""The stored logs of failures as other tools show them: how often the class and the line stay the same.

`nice python -m benchmarks.disguises [NAME...]`: each log of `tests/fixtures/logs/real` in each disguise, beside what is
said of it as it stands. What a disguise takes away (the head of a traceback, the middle) cannot be named any more:
there the class counts, and the line only where it is still in the text. Spark, Ray and a launcher add an error of
their own, which is why their healthy logs have one. Some minutes; never in CI, where
`tests/xladoctor/logs/test_disguised.py` has a few of each.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable
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
}


def answer(text: str) -> Answer:
    """Class and line of the first error."""
    found = findings(Evidence("log", log=read_log(io.BytesIO(text.encode()), name="log")))
    root = next((f for f in found if f.level == "error"), None)
    return ("nothing", None) if root is None else (root.slug, root.location.line if root.location else None)


def main() -> None:
    """Print a row for each disguise, and what is answered otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="disguises; all where none is named")
    parser.add_argument("--every", type=int, default=1, help="each Nth log only")
    parser.add_argument("--show", action="store_true", help="name the logs that are answered otherwise")
    asked = parser.parse_args()
    logs = {str(p.relative_to(LOGS)): p.read_text() for p in sorted(LOGS.glob("*/*.log"))[:: asked.every]}
    plain = {name: answer(text) for name, text in logs.items()}
    failing = {name: said for name, said in plain.items() if said[0] != "nothing"}
    print(f"{'disguise':20} {'logs':>5} {'class':>6} {'line':>6} {'false':>6}")
    for disguise in asked.names or DISGUISES:
        said = {name: answer(DISGUISES[disguise](text)) for name, text in logs.items()}
        same = sum(said[name][0] == wanted[0] for name, wanted in failing.items())
        lines = sum(said[name][1] == wanted[1] for name, wanted in failing.items())
        false = sum(said[name][0] != "nothing" for name in logs if name not in failing)
        print(f"{disguise:20} {len(failing):5} {same:6} {lines:6} {false:6}")
        for name, wanted in plain.items() if asked.show else ():
            if said[name] != wanted:
                print(f"    {name}: {wanted} -> {said[name]}")


if __name__ == "__main__":
    main()
