"""How a run ended and what was recorded of it outrank what it printed; a status says what it rests on."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.saved import scan_run

MISSING = "No such file or directory: 'table.npz'"
RESHAPE = "Input to reshape is a tensor with 12 values, but the requested shape has 10"


def scanned(run: Run, folder, said: str = "") -> Diagnosis:
    path = run.write(folder / "run")
    (path / "stdout.log").write_text(said)
    return scan_run(path)


def raising(code: int, *errors: tuple[str, str], caught: tuple[int, ...] = (), chain: list[Any] | None = None) -> Run:
    run = Run(outcome={"state": "exited", "code": code, "probes": "recorded"})
    for number, (name, message) in enumerate(errors, 1):
        run.event("failure", failure=number, exception=name, message=message, state="raised", during="step", frames=[],
                  module="builtins", capsule=None, chain=(chain or []) if number == len(errors) else [])  # fmt: skip
        if number not in caught:
            run.event("failure", failure=number, exception=name, state="uncaught")
    return run


@pytest.mark.parametrize(
    "said",
    ["Killed 3 zombie workers", "Segmentation fault rate: 0.0", "ValueError: shown in a help text",
     "loss: nan is what we test for", "KeyboardInterrupt handler installed", f"FileNotFoundError: {MISSING}"],
)  # fmt: skip
def test_what_a_good_run_prints_is_no_failure(tmp_path, said):
    found = scanned(raising(0), tmp_path, f"{said}\ndone\n")
    assert (found.verdict, found.findings) == ("healthy", ())


def test_a_known_error_that_a_good_run_prints_is_a_note(tmp_path):
    found = scanned(raising(0), tmp_path, f"InvalidArgumentError: {RESHAPE}\n")
    assert [(f.slug, f.level, f.status) for f in found.findings] == [("reshape-mismatch", "note", "untested")]
    assert found.verdict == "healthy" and "ended with 0" in found.findings[0].message


@pytest.mark.parametrize("error", [("InvalidArgumentError", RESHAPE), ("ValueError", "no such thing here")])
@pytest.mark.parametrize(
    ("said", "level", "verdict"),
    [("2 of 3 fits\n", "note", "healthy"), ("sorry: {0}: {1}\n\n", "warning", "warnings"), ("", "note", "healthy")],
)
def test_an_exception_that_the_program_survived_is_a_note_unless_it_was_its_last_word(
    tmp_path, error, said, level, verdict
):
    found = scanned(raising(0, error, caught=(1,)), tmp_path, said.format(*error))
    assert [(f.level, f.details.get("handled")) for f in found.findings] == [(level, True)]
    assert found.verdict == verdict and "caught" in found.findings[0].message


def test_a_handler_that_takes_another_way_was_meant_whatever_it_prints(tmp_path):
    error = ("InvalidArgumentError", RESHAPE)
    run = raising(0, error, caught=(1,))
    for event in run.events:
        if event["kind"] == "failure":
            event["caught"] = {"file": "/w/tiles.py", "line": 23, "function": "largest", "turns": True}
    found = scanned(run, tmp_path, "sorry: {}: {}\n\n".format(*error))
    assert [f.level for f in found.findings] == ["note"] and found.verdict == "healthy"


def test_an_exception_that_ended_a_child_alone_was_not_caught(tmp_path):
    found = scanned(raising(0, ("InvalidArgumentError", RESHAPE)), tmp_path)
    assert [f.level for f in found.findings] == ["warning"]
    assert "ended its thread or process" in found.root.message and "caught" not in found.root.message


@pytest.mark.parametrize(
    ("shown", "level"),
    [("  probe: ModuleNotFoundError: No module named 'fancy'\n", "note"),
     ('  File "<string>", line 1\nModuleNotFoundError: No module named \'fancy\'\n', "warning")],
)  # fmt: skip
@pytest.mark.parametrize("error", [("ModuleNotFoundError", "No module named 'fancy'"), ("AssertionError", "")])
def test_an_exception_of_a_child_whose_output_the_program_kept_is_a_note(tmp_path, shown, level, error):
    path = raising(0).write(tmp_path / "run")
    (path / "stderr.log").write_text(shown.replace("ModuleNotFoundError", error[0]) + "fallback used\n")
    common = {"exception": error[0], "message": error[1], "module": "builtins", "during": "program", "frames": []}
    events: list[dict[str, Any]] = [
        {"kind": "start", "ppid": 7, "schema": "xladoctor.events/1", "argv": ["python", "-c", "import fancy"]},
        {"kind": "failure", "failure": 1, "state": "raised", "chain": [], "capsule": None, **common},
        {"kind": "failure", "failure": 1, "state": "uncaught", "exception": error[0]},
    ]
    lines = (json.dumps({"v": 1, "seq": n, "t": n / 10, **event}) for n, event in enumerate(events, 1))
    (path / "events-8.jsonl").write_text("\n".join(lines) + "\n")
    assert [(f.level, f.slug) for f in scan_run(path).findings] == [(level, "not-xla")]


def test_what_ended_the_run_is_the_root_and_what_it_caught_before_is_not(tmp_path):
    run = raising(1, ("InvalidArgumentError", RESHAPE), ("FileNotFoundError", MISSING), caught=(1,))
    found = scanned(run, tmp_path, "Killed 3 zombie workers\n")
    assert [(f.slug, f.level) for f in found.findings] == [("not-xla", "error"), ("reshape-mismatch", "warning")]
    assert (found.root.details["kind"], found.root.status, found.root.basis.kind) == (
        "FileNotFoundError", "untested", "observed",
    ), "what failed before may be why the file is missing"  # fmt: skip


def test_an_exception_that_another_came_of_was_not_survived(tmp_path):
    chain = [{"exception": "InvalidArgumentError", "message": RESHAPE}]
    run = raising(1, ("InvalidArgumentError", RESHAPE), ("RuntimeError", "the step failed"), caught=(1,), chain=chain)
    found = scanned(run, tmp_path)
    assert (found.root.slug, found.root.level) == ("reshape-mismatch", "error")


def test_an_exception_caught_before_sys_exit_is_why_it_ended(tmp_path):
    found = scanned(raising(3, ("InvalidArgumentError", RESHAPE), caught=(1,)), tmp_path)
    assert (found.root.slug, found.root.level, found.root.status) == ("reshape-mismatch", "error", "untested")


def test_a_loss_that_became_nan_is_a_warning_at_the_fit(tmp_path):
    run = raising(0)
    run.begin(1)
    found = scanned(run, tmp_path, "Epoch 1/1\n\r2/2 - 0s - 9ms/step - loss: nan\n")
    assert [(f.level, f.details["kind"], str(f.location)) for f in found.findings] == [
        ("warning", "nan", "train.py:9")
    ]  # fmt: skip


@pytest.mark.parametrize("state", ["interrupted", "timed-out"])
def test_what_was_stopped_from_outside_failed_of_nothing(tmp_path, state):
    run = Run(outcome={"state": state, "code": None, "signal": "SIGINT", "seconds": 9.0, "probes": "recorded"})
    found = scanned(run, tmp_path, 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyboardInterrupt\n')
    (finding,) = found.findings
    assert (finding.status, finding.basis.kind) == ("untested", "observed")
    assert finding.level == ("warning" if state == "interrupted" else "error")
    assert "not known" in finding.message


def test_a_log_alone_confirms_nothing(tmp_path):
    from xladoctor.saved import scan_logs

    log = tmp_path / "log"
    log.write_text(
        f'Traceback (most recent call last):\n  File "a.py", line 1, in f\nInvalidArgumentError: {RESHAPE}\n'
    )
    found = scan_logs([log])
    assert (found.root.status, found.root.basis.kind) == ("untested", "text")


def test_a_function_that_was_run_plainly_after_xla_had_refused_it_is_a_note(tmp_path):
    """Though the refusal is the last thing that the program prints."""
    error = ("UnimplementedError", "no kernel for this op under XLA")
    for fallback, level in ((True, "note"), (False, "warning")):
        run = Run(outcome={"state": "exited", "code": 0, "probes": "recorded"})
        defined = {"file": "a.py", "line": 3, "function": "f"}
        run.event("trace", function="__inference_f_1", graph="g1", parent=None, capsule="7-1-f", xla=True,
                  python_name="f", defined=defined, frames=[])  # fmt: skip
        run.event("failure", failure=1, exception=error[0], message=error[1], state="raised", during="f", frames=[],
                  module="builtins", capsule="7-1-f", chain=[])  # fmt: skip
        if fallback:
            run.event("trace", function="__inference_f_2", graph="g2", parent=None, capsule="7-2-f", xla=False,
                      python_name="f", defined=defined, frames=[])  # fmt: skip
        found = scanned(run, tmp_path / str(fallback), f"not compiled: {error[1]}\n")
        assert [f.level for f in found.findings] == [level]


def test_what_tensorflow_logs_last_is_no_word_of_the_program(tmp_path):
    path = raising(0, ("ValueError", "no such thing here"), caught=(1,)).write(tmp_path / "run")
    (path / "stderr.log").write_text("W0000 00:00:17953.1 4202 x.cc:1] ValueError: no such thing here\n")
    assert [f.level for f in scan_run(path).findings] == ["note"]


@pytest.mark.parametrize(("keeps", "level"), [(True, "note"), (False, "warning"), (None, "warning")])
def test_a_thread_whose_handler_reported_its_end_was_looked_after(tmp_path, keeps, level):
    run = Run(outcome={"state": "exited", "code": 0, "probes": "recorded"})
    caught = None if keeps is None else {"file": "a.py", "line": 5, "function": "run", "gives": None, "keeps": keeps}
    run.event("failure", failure=1, exception="ValueError", message="injected", state="raised", during="program",
              frames=[], module="builtins", capsule=None, chain=[], caught=caught, thread="w1")  # fmt: skip
    run.event("failure", failure=1, exception="ValueError", state="uncaught")
    assert [f.level for f in scanned(run, tmp_path).findings] == [level]


@pytest.mark.parametrize(
    ("test", "level"),
    [("if worker.exitcode:\n    restart()", "note"), ("print(worker.exitcode)", "warning"),
     ("def go(n):\n    return run(n).returncode\ngot = go(3)\ngood = got == 0", "note"),
     ("def go(n):\n    return run(n).returncode\nassert all([go(n) == 0 for n in range(3)])", "note"),
     ("def go(n):\n    return run(n).returncode\nprint(go(3))", "warning"),
     ("def go(n):\n    return run(n).stdout\ngot = go(3)\ngood = got == ''", "warning")],
)  # fmt: skip
def test_a_program_that_asks_how_its_processes_ended_looks_after_them(test, level):
    from xladoctor.diagnosis.handling import _asked

    assert bool(list(_asked(ast.parse(test), threads=False))) == (level == "note")


def test_a_missing_file_is_a_fact_where_nothing_else_had_failed(tmp_path):
    found = scanned(raising(1, ("FileNotFoundError", MISSING)), tmp_path)
    assert (found.root.details["kind"], found.root.status) == ("FileNotFoundError", "confirmed")


@pytest.mark.parametrize(("file", "level"), [("<string>", "note"), ("child.py", "warning")])
def test_a_warning_about_a_child_needs_a_line_of_the_program(tmp_path, file, level):
    """A child that runs a text (`python -c`) and fails before everybody's eyes, while its parent goes on."""
    run = Run(outcome={"state": "exited", "code": 0, "probes": "recorded"})
    frames = [{"file": file, "line": 11, "function": "<module>", "user": True}]
    said = "cannot reshape array of size 128 into shape (16,9)"
    run.event("failure", failure=1, exception="ValueError", message=said, state="raised", during="program",
              frames=frames, module="builtins", capsule=None, chain=[])  # fmt: skip
    run.event("failure", failure=1, exception="ValueError", state="uncaught")
    assert [(f.slug, f.level) for f in scanned(run, tmp_path).findings] == [("reshape-mismatch", level)]
