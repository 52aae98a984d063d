from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.xladoctor.report import samples
from xladoctor.__main__ import main
from xladoctor.errors import XladoctorError
from xladoctor.report import json_


def test_a_command_is_handed_on_untouched(fake):
    command = ["python", "train.py", "--help", "--", "-x", "--format", "json", ""]
    assert main(["scan", "--quiet", "--", *command]) == 1
    kind, seen, options = fake.asked[0]
    assert (kind, seen) == ("command", tuple(command))
    assert options.quiet and options.probes and options.replay
    assert (options.run_dir, options.timeout, options.python, options.passthrough) == (None, None, None, "stdout")


def test_the_options_of_a_command(fake):
    words = "scan --run-dir r --timeout 1.5 --python p --no-probes --no-replay -- x"
    main(words.split())
    options = fake.asked[0][2]
    assert (options.run_dir, options.timeout, options.python) == (Path("r"), 1.5, "p")
    assert not options.probes and not options.replay


def test_the_report_names_the_run_folder(fake, capsys):
    main(["scan", "--", "x"])
    out = capsys.readouterr().out
    assert "(the program ended with 1)" in out
    assert "xladoctor scan xladoctor-runs/one --verbose" in out


def test_json_is_all_that_stdout_carries(fake, capsys):
    assert main(["scan", "--format", "json", "--", "x"]) == 1
    captured = capsys.readouterr()
    assert json_.from_json(captured.out).findings == samples.LOUD.findings
    assert captured.err == ""
    assert fake.asked[0][2].passthrough == "stderr"


def test_markdown_keeps_stdout_clean_too(fake):
    main(["scan", "--format", "markdown", "--", "x"])
    main(["scan", "--format", "json", "--output", "d.json", "--", "x"])
    assert [asked[2].passthrough for asked in fake.asked] == ["stderr", "stdout"]


@pytest.mark.parametrize(
    ("diagnosis", "status", "whose", "expected"),
    [
        (samples.LOUD, 1, "doctor", 1),
        (samples.MUTED, 0, "doctor", 1),
        (samples.MUTED, 0, "target", 0),
        (samples.HEALTHY, 0, "doctor", 0),
        (samples.HEALTHY, 7, "target", 7),
        (samples.LOUD, -9, "target", 137),
    ],
)
def test_exit_status(fake, diagnosis, status, whose, expected):
    fake.diagnosis, fake.status = diagnosis, status
    assert main(["scan", "--exit-code", whose, "--", "x"]) == expected


def test_input_that_could_not_be_read_in_part(fake):
    fake.diagnosis = replace(samples.LOUD, problems=("events-1.jsonl:3 is cut off",))
    Path("a.log").write_text("x")
    assert main(["scan", "a.log"]) == 2


def test_a_command_that_cannot_be_started(fake, capsys):
    fake.error = XladoctorError("cannot run nix: no such program", exit_code=3, hint="after -- comes the command")
    assert main(["scan", "--", "nix"]) == 3
    captured = capsys.readouterr()
    assert captured.err == "xladoctor: cannot run nix: no such program\n  after -- comes the command\n"
    assert captured.out == ""


def test_logs_and_standard_input(fake):
    Path("a.log").write_text("x")
    main(["scan", "-"])
    main(["scan", "--one-run", "a.log", "-"])
    assert fake.asked == [("logs", ["-"]), ("logs", [Path("a.log"), "-"])]


@pytest.mark.parametrize("inside", ["run.json", "events-12.jsonl"])
def test_a_run_folder(fake, inside, capsys):
    Path("run").mkdir()
    Path("run", inside).write_text("{}")
    assert main(["scan", "run"]) == 1
    assert fake.asked == [("run", Path("run"))]
    assert "xladoctor scan run --verbose" in capsys.readouterr().out


def mistakes():
    yield [], "there is nothing to scan", "Name a log or a run folder"
    yield ["--"], "there is no command after --", "xladoctor scan -- python train.py"
    yield ["a.log", "--", "x"], "either logs (a.log) or a command after --, not both", "after the --"
    yield ["trian.log"], "there is no file trian.log", "Did you mean train.log?"
    yield ["nowhere/x.log"], "there is no file nowhere/x.log", "There is no folder nowhere either."
    yield ["python3", "x.py"], "there is no file python3", "xladoctor scan -- python3 x.py"
    yield ["x.py"], "x.py is a program, not a log", "xladoctor scan -- python x.py"
    yield ["empty"], "empty is not a run folder", "holds a run.json"
    yield ["runs/two/capsules"], "capsules is not a run folder", "It lies in one: xladoctor scan runs/two"
    yield ["--one-run", "runs/two"], "--one-run puts logs together, and runs/two holds none", ""
    yield ["empty", "no.log"], "empty: holds no log", "there is no file no.log"
    yield ["runs", "--format", "html"], "--format html holds one run, and these are 2", "For many runs: console, json"
    yield ["train.log", "--jobs", "0"], "invalid value for '--jobs'", "xladoctor scan --help"
    yield ["--jobs", "2", "--", "x"], "--jobs is for saved output", ""
    yield ["-", "-"], "standard input (-) can be read only once", ""
    yield ["--timeout", "3", "train.log"], "--timeout is for a command, and there is none", "after --"
    yield ["--no-probes", "train.log"], "--no-probes is for a command", "scan --no-probes -- python"
    yield ["--timeout", "0", "--", "x"], "--timeout 0: give a number of seconds above 0", ""
    yield ["--timeout", "nan", "--", "x"], "--timeout nan: give", ""
    yield ["--timeout", "soon", "--", "x"], "invalid value for '--timeout'", "xladoctor scan --help"
    yield ["--verbose", "--quiet", "train.log"], "exclude each other", ""
    yield ["--formatt", "json", "train.log"], "no such option '--formatt'", "'--format'"
    yield ["--json", "train.log"], "no such option '--json'", "Did you mean '--format json'?"
    yield (
        ["--format", "jsn", "train.log"],
        "'jsn' is none of console, json, markdown,",
        "Did you mean json or jsonl?",
    )
    yield ["--exit-code", "targt", "--", "x"], "Did you mean target?", ""
    yield ["--output", "nowhere/d.json", "train.log"], "there is no folder nowhere", "mkdir -p nowhere"
    yield ["--output", "runs", "train.log"], "--output runs is a folder", "runs/diagnosis.json"
    yield ["--output", "x.py", "train.log"], "x.py exists, and xladoctor did not write it", "--force"
    yield ["--force", "train.log"], "--force belongs to --output", ""


@pytest.mark.parametrize(
    ("args", "said", "hint"), list(mistakes()), ids=lambda v: " ".join(v) if type(v) is list else ""
)
def test_a_mistake_is_one_helpful_line(fake, capsys, args, said, hint):
    for folder in ("empty", "runs/one", "runs/two/capsules"):
        Path(folder).mkdir(parents=True)
    Path("runs/one/run.json").write_text("{}")
    Path("runs/two/run.json").write_text("{}")
    os.utime("runs/one", (1, 1))
    Path("train.log").write_text("x")
    Path("x.py").write_text("pass")
    assert main(["scan", *args]) == 2
    captured = capsys.readouterr()
    assert said in captured.err and hint in captured.err
    assert captured.err.startswith("xladoctor: ") and "Traceback" not in captured.err
    assert captured.out == "" and fake.asked == []


def test_the_output_file(fake, capsys):
    Path("a.log").write_text("x")
    assert main(["scan", "--output", "d.json", "a.log"]) == 1
    assert json.loads(Path("d.json").read_text())["schema"] == "xladoctor.diagnosis/1"
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == "xladoctor: wrote d.json\n"
    assert [p.name for p in Path().iterdir() if "part" in p.name] == []


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("d.json", '{\n  "schema": "xladoctor.diagnosis/1"'),
        ("d.md", "<!-- xladoctor"),
        ("d.txt", "xladoctor: F"),
        ("d.sarif", '{\n  "properties": {\n    "schema": "xladoctor.sarif/1"'),
        ("d.sarif.json", '{\n  "properties": {\n    "schema": "xladoctor.sarif/1"'),
        ("d.xml", '<?xml version="1.0" encoding="utf-8"?>\n<!-- xladoctor.junit/1 -->'),
        ("d.jsonl", '{"schema": "xladoctor.jsonl/1"'),
        ("d.csv", "xladoctor_finding,"),
    ],
)
def test_the_format_is_what_the_name_ends_in_and_is_replaced_the_next_time(fake, name, start):
    Path("a.log").write_text("x")
    for _ in range(2):
        assert main(["scan", "-o", name, "a.log"]) == 1
        assert Path(name).read_text().startswith(start)


def test_an_ending_that_no_format_has_is_refused_unless_a_format_is_named(fake, capsys):
    Path("a.log").write_text("x")
    assert main(["scan", "-o", "d.pdf", "a.log"]) == 2
    assert ".md" in capsys.readouterr().err and not Path("d.pdf").exists()
    assert main(["scan", "-o", "d.pdf", "--format", "markdown", "a.log"]) == 1


def test_only_force_replaces_a_foreign_file(fake):
    Path("a.log").write_text("x")
    Path("thesis.md").write_text("# my thesis")
    assert main(["scan", "-o", "thesis.md", "a.log"]) == 2
    assert Path("thesis.md").read_text() == "# my thesis"
    assert main(["scan", "-o", "thesis.md", "--force", "a.log"]) == 1
    assert "Blocker" in Path("thesis.md").read_text()


def test_a_link_stays_a_link_and_a_device_a_device(fake):
    Path("a.log").write_text("x")
    Path("real.json").write_text("")
    Path("link.json").symlink_to("real.json")
    main(["scan", "-o", "link.json", "a.log"])
    assert Path("link.json").is_symlink() and Path("real.json").stat().st_size > 100
    assert main(["scan", "-o", "/dev/null", "a.log"]) == 1
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert main(["scan", "-q", "-o", "pipe", "a.log"]) == 1
    assert os.read(reader, 100).startswith(b"xladoctor: FAILED")
    os.close(reader)
    assert Path("pipe").is_fifo()


def test_the_output_is_checked_before_the_command_is_run(fake):
    Path("mine.txt").write_text("mine")
    assert main(["scan", "-o", "mine.txt", "--", "x"]) == 2
    assert fake.asked == []


def test_colours(fake, capsys, monkeypatch):
    Path("a.log").write_text("x")
    main(["scan", "--color", "always", "a.log"])
    assert "\x1b[1;31mFAILED" in capsys.readouterr().out
    for when in ("auto", "never"):
        main(["scan", "--color", when, "a.log"])
        assert "\x1b" not in capsys.readouterr().out
