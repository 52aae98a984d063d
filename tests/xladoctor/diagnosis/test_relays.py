from tests.xladoctor.recordings import PID, Run
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
