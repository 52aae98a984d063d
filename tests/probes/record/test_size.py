"""One bound on what is recorded: over all processes, at every moment; the least useful goes first, and that is said."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from probes import schema
from probes.record import sink as sinks
from probes.record.budget import DEFAULT, limit_of
from probes.record.shelf import MAX_CAPSULES, Shelf
from probes.record.sink import Sink
from tests.probes.record.running import PYTHON, ROOT, read_events, run_program
from xladoctor.diagnosis.gaps import gap_notes
from xladoctor.recording.run import read_run

GRAPH = SimpleNamespace(name="f")


def size_of(folder: Path) -> int:
    return sum(size(os.path.join(path, file)) for path, _, files in os.walk(folder) for file in files)


def size(file: str) -> int:
    try:
        return os.lstat(file).st_size
    except OSError:  # removed in the meantime
        return 0


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    def make(limit: int) -> Shelf:
        monkeypatch.setenv(schema.ENV_MAX_SIZE, str(limit))
        return Shelf(Sink(tmp_path), True)

    return make


def add(shelf: Shelf, size: int, **options) -> Path | None:
    return shelf.add(
        GRAPH, lambda _: {"graph.pb.gz": b"x" * size, "capsule.json": b'{"id": 1}'}, "graph", "f", **options
    )


def add_values(shelf: Shelf, folder: Path, size: int, *, needed: bool) -> bool:
    return shelf.add_values(folder.name, size, lambda f: (f / "values.npz").write_bytes(b"v" * size), needed=needed)


def dropped(shelf: Shelf) -> list[tuple[str, str, str | None]]:
    events = [e for e in read_events(shelf.sink.run_dir) if e["kind"] == schema.DROPPED]
    return [(e["what"], e["reason"], e["capsule"]) for e in events]


@pytest.mark.parametrize(("text", "limit"), [(None, DEFAULT), ("", DEFAULT), ("1G", DEFAULT), ("77", 77), ("-3", 0)])
def test_the_bound_comes_from_the_environment(text, limit):
    assert limit_of(text) == limit


def test_values_of_healthy_calls_go_before_graphs_and_both_before_what_a_failure_needs(shelf):
    shelf = shelf(1000_000)
    first, second, third = (add(shelf, 100_000) for _ in range(3))
    assert add_values(shelf, first, 100_000, needed=True)
    assert add_values(shelf, second, 100_000, needed=False)
    assert add(shelf, 300_000) is not None
    assert dropped(shelf) == [("values", "size", second.name)]
    assert add(shelf, 200_000) is not None
    assert dropped(shelf)[1:] == [("graph", "size", second.name), ("graph", "size", third.name)]
    assert (first / "values.npz").exists(), "it belongs to a failure"
    assert not add_values(shelf, first, 600_000, needed=False), "a healthy call makes room by nothing"
    assert not second.exists()
    assert not shelf.holds(second.name)
    assert shelf.restore(second.name, lambda _: {"graph.pb.gz": b"x" * 200_000, "capsule.json": b'{"id": 1}'}, "f")
    assert second.exists()
    assert size_of(shelf.sink.run_dir) <= 1000_000


def test_a_process_that_was_killed_while_it_wrote_keeps_no_room_for_good(shelf):
    shelf = shelf(1000_000)
    add(shelf, 100)
    mark = shelf.sink.run_dir / "capsules" / ".reserved-77-1-700000"
    mark.touch()
    assert add(shelf, 200_000) is None
    os.utime(mark, (1, 1))
    assert add(shelf, 200_000) is not None


def test_what_can_never_have_room_removes_nothing(shelf):
    shelf = shelf(1000_000)
    kept = add(shelf, 100_000)
    assert add(shelf, 2000_000) is None
    assert dropped(shelf) == [("graph", "size", None)]
    assert kept.exists()
    assert sorted(p.name for p in kept.parent.iterdir()) == [kept.name]


def test_there_are_only_so_many_capsules(shelf):
    shelf = shelf(DEFAULT)
    assert sum(add(shelf, 1) is not None for _ in range(MAX_CAPSULES + 5)) == MAX_CAPSULES
    assert list(gap_notes(read_run(shelf.sink.run_dir))) == [f"only the first {MAX_CAPSULES} capsules were kept"]


def test_a_capsule_takes_at_most_half_of_the_free_space(shelf, monkeypatch):
    shelf = shelf(DEFAULT)
    monkeypatch.setattr(shelf.sink.folder, "free", lambda: 3 << 20)
    assert add(shelf, 1 << 20) is not None
    assert add(shelf, 2 << 20) is None
    assert [reason for _, reason, _ in dropped(shelf)] == ["disk-space"]
    (note,) = gap_notes(read_run(shelf.sink.run_dir))
    assert note.startswith("1 graph ") and note.endswith(schema.DROP_REASONS["disk-space"])


def test_a_values_file_that_fails_half_way_leaves_nothing(shelf):
    shelf = shelf(DEFAULT)
    folder = add(shelf, 10)

    def fail(into: Path) -> None:
        (into / "values.npz").write_bytes(b"x")
        raise OSError(28, "no space left")

    assert not shelf.add_values(folder.name, 100, fail, needed=True)
    assert dropped(shelf) == [("values", "disk-full", folder.name)]
    assert sorted(p.name for p in folder.iterdir()) == ["capsule.json", "graph.pb.gz"]


def test_events_stop_at_the_bound_and_the_last_room_is_for_failures(tmp_path, monkeypatch):
    monkeypatch.setenv(schema.ENV_MAX_SIZE, "300000")
    sink = Sink(tmp_path)
    for n in range(9000):
        sink.write(schema.SETTING, key=n, text="x" * 30)
    sink.write(schema.FAILURE, message="after the bound")
    sink.write(schema.END, state="exit")
    sink.finish()
    events = read_events(tmp_path)
    assert size_of(tmp_path) <= 300_000
    assert {schema.FAILURE, schema.END} <= {e["kind"] for e in events}
    written = sum(e["kind"] == schema.SETTING for e in events)
    (note,) = gap_notes(read_run(tmp_path))
    assert note == (
        f"{9000 - written} events could not be recorded: the run folder reached its maximum size (set by `--max-size`)"
    )


def test_numbers_that_are_missing_without_a_word_are_told(tmp_path):
    sink = Sink(tmp_path)
    for n in range(5):
        sink.write(schema.SETTING, store="env", key=f"KEY_{n}", action="write", value=None)
    (file,) = tmp_path.glob("events-*")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:1] + lines[3:]))
    assert list(gap_notes(read_run(tmp_path))) == [f"the run folder lacks 2 events of process {os.getpid()}"]


def test_on_a_slow_disk_lesser_events_wait_for_the_next_that_must_survive(tmp_path, monkeypatch):
    calls = []
    real, clock = sinks.append, [0.0]
    monkeypatch.setattr(sinks, "_monotonic", lambda: clock[0])

    def slow(path: str, data: bytes) -> None:
        clock[0] += 0.01
        calls.append(data.count(b"\n"))
        real(path, data)

    monkeypatch.setattr(sinks, "append", slow)
    sink = Sink(tmp_path)
    for n in range(20):
        sink.write(schema.SETTING, key=n)
    sink.write(schema.TRACE, function="f")
    assert calls == [1, 1, 1, 1, 17]
    assert [e["seq"] for e in read_events(tmp_path)] == list(range(1, 22))


WORKER = """
import sys
from pathlib import Path
from types import SimpleNamespace
sys.path.insert(0, sys.argv[1])
from probes.record.shelf import Shelf
from probes.record.sink import Sink
sink = Sink(Path(sys.argv[2]))
shelf = Shelf(sink, True)
for n in range(30):
    shelf.add(SimpleNamespace(name="f"), lambda _: {"graph.pb.gz": b"x" * 90_000}, "graph", "f")
    for m in range(20):
        sink.write("setting", key=m, text="x" * 500)
sink.finish()
"""


def test_the_bound_holds_at_every_moment_over_all_processes(tmp_path):
    limit = 1500_000
    environment = {**os.environ, schema.ENV_MAX_SIZE: str(limit)}
    most, done = [0], threading.Event()

    def watch() -> None:
        while not done.is_set():
            most[0] = max(most[0], size_of(tmp_path))

    watcher = threading.Thread(target=watch)
    watcher.start()
    workers = [subprocess.Popen([PYTHON, "-c", WORKER, str(ROOT), str(tmp_path)], env=environment) for _ in range(4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0] * 4
    done.set()
    watcher.join()
    assert limit // 2 < most[0] <= limit
    # Events are refused only where capsules of others leave them no room at that moment.
    dropped = {e["recorder"] for e in read_events(tmp_path) if e["kind"] == schema.DROPPED}
    assert {"capsule"} <= dropped <= {"capsule", "events"}
    assert not list((tmp_path / "capsules").glob(".*"))


PROGRAM = """
import numpy as np, tensorflow as tf
def make(n):
    constant = np.random.default_rng(n).random(100_000, np.float32)
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None])])
    def f(x):
        return tf.reshape(x, [-1, 2]) + tf.reduce_sum(tf.constant(constant))
    return f
functions = [make(n) for n in range(8)]
for f in functions:
    f(tf.ones([4]))
try:
    functions[0](tf.ones([3]))
except Exception as error:
    print(type(error).__name__)
"""


def test_the_doctor_is_not_led_to_a_capsule_that_was_removed(shelf):
    shelf = shelf(1000_000)
    first, second = add(shelf, 300_000), add(shelf, 300_000)
    for folder in (first, second):
        shelf.sink.write(schema.TRACE, graph="g1", function="f", capsule=folder.name)
    third = add(shelf, 300_000)
    assert third is not None

    def led_to() -> list[str | None]:
        return [e["capsule"] for e in read_run(shelf.sink.run_dir).of_kind(schema.TRACE)]

    assert led_to() == [None, second.name]
    (note,) = gap_notes(read_run(shelf.sink.run_dir))
    assert note.startswith("1 graph ") and "the run folder reached its maximum size" in note
    shelf.restore(first.name, lambda _: {"graph.pb.gz": b"x", "capsule.json": b'{"id": 1}'}, "f")
    assert led_to() == [first.name, second.name]
    assert list(gap_notes(read_run(shelf.sink.run_dir))) == []


@pytest.mark.slow
def test_the_capsule_of_a_failing_call_is_written_once_more_when_it_had_to_go(tmp_path):
    limit = 1500_000
    ran = run_program(tmp_path, PROGRAM, env={schema.ENV_MAX_SIZE: str(limit)})
    assert ran.status == 0, ran.stderr
    assert ran.of("probe-error") == []
    assert size_of(ran.folder) <= limit
    gone = {e["capsule"] for e in ran.of("dropped")}
    assert gone
    (failure,) = ran.of("failure")
    folder = ran.folder / "capsules" / failure["capsule"]
    assert folder.name in gone
    assert {"capsule.json", "graph.pb.gz", "values.npz"} <= {p.name for p in folder.iterdir()}
