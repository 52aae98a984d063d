import ast
import json

import pytest

from tests.xladoctor.recordings import PID, Run
from xladoctor.diagnosis import handling
from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.relays import relayed
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

CHILD = "Input to reshape is a tensor with 15 values, but the requested shape has 14 [Op:Reshape]"


def failures(tmp_path, quoted, other_pid=8):
    """A launcher that fails with `quoted`, and a child of its own that failed before it."""
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    common = {"failure": 1, "frames": [], "chain": [], "thread": "MainThread"}
    run.event("failure", state="raised", exception="LauncherError", message=quoted, **common)
    run.event("failure", failure=1, state="uncaught", exception="LauncherError")
    folder = run.write(tmp_path / "run")
    child = Run()
    child.event("failure", state="raised", exception="InvalidArgumentError", message=CHILD, **common)
    child.write(tmp_path / "child")
    (tmp_path / "child" / f"events-{PID}.jsonl").rename(folder / f"events-{other_pid}.jsonl")
    (folder / "stderr.log").write_text(f"tensorflow.errors.InvalidArgumentError: {CHILD}\n\nLauncherError: {quoted}\n")
    return folder


def test_a_launcher_that_quotes_its_child_is_not_the_cause(tmp_path):
    folder = failures(tmp_path, f"In [3] failed:\n\x1b[31mInvalidArgumentError\x1b[39m: {CHILD}")
    found = steps(read_run(folder))
    relay, cause = found
    assert relayed(found) == {id(relay): cause}
    assert cause.failure["exception"] == "InvalidArgumentError"
    roots = [f.slug for f in scan_run(folder).findings if f.role == "root"]
    assert roots == ["reshape-mismatch"]


def test_two_processes_that_fail_alike_do_not_quote_each_other(tmp_path):
    assert relayed(steps(read_run(failures(tmp_path, CHILD)))) == {}


def test_an_error_of_its_own_is_no_relay(tmp_path):
    assert relayed(steps(read_run(failures(tmp_path, "the licence server did not answer in 30 seconds")))) == {}


@pytest.mark.parametrize(
    ("command", "relays"), [("['python', 'stage.py', 'solve']", True), ("['bash', 'other.sh']", False)]
)
def test_a_parent_that_raises_for_its_child_passes_the_failure_on(tmp_path, command, relays):
    folder = failures(tmp_path, f"Command '{command}' returned non-zero exit status 1.")
    parent = folder / f"events-{PID}.jsonl"
    parent.write_text(parent.read_text().replace("LauncherError", "CalledProcessError"))
    child = folder / "events-8.jsonl"
    events = [json.loads(line) for line in child.read_text().splitlines()]
    events[0] |= {"ppid": PID, "argv": ["python", "stage.py", "solve"]}
    events.append({**events[-1], "seq": 9, "state": "uncaught"})
    child.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert len(relayed(steps(read_run(folder)))) == relays
    roots = [f.slug for f in scan_run(folder).findings if f.role == "root"]
    assert roots == ["reshape-mismatch"] if relays else "not-xla" in roots


@pytest.mark.parametrize(
    ("code", "line", "about"),
    [
        ("if p.exitcode != 0:\n    raise RuntimeError", 2, True),
        ("code = p.wait()\nif code:\n    sys.exit(code)", 3, True),
        ("assert child.returncode == 0", 1, True),
        ("if len(rows) != 3:\n    raise ValueError", 2, False),
    ],
)
def test_a_raise_under_a_test_of_an_exit_status(code, line, about):
    tree = ast.parse(code)
    found = any(handling._is_about_workers(t, handling._results(tree)) for t in handling._tests_above(tree, line))
    assert found == about


def test_a_forked_child_has_no_start_and_names_its_parent_with_its_end(tmp_path):
    folder = failures(tmp_path, "worker ended with status 1")
    child = folder / "events-8.jsonl"
    events = [json.loads(line) for line in child.read_text().splitlines()][1:]
    child.write_text("".join(json.dumps(e) + "\n" for e in [*events, {**events[-1], "seq": 9, "state": "uncaught"}]))
    assert handling.parents(read_run(folder)).get(8) is None
    events.append({**events[-1], "seq": 9, "state": "uncaught", "ppid": PID})
    child.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert handling.parents(read_run(folder))[8] == PID
