"""Rules of third parties: a real installed distribution each, with its metadata and its module."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.xladoctor.rules.fixtures import diagnose
from xladoctor.__main__ import main
from xladoctor.rules import UnknownRule, all_rules, by_code, by_slug, plugin_problems, plugins

GOOD = """
from xladoctor.rules.matching import Hit, find, make


def lattice(record, text):
    found = find(text, "lattice of", r"lattice of (\\d+) does not tile (\\d+)")
    return Hit(f"A lattice of {found[1]} on {found[2]}.", dims=(int(found[1]), int(found[2]))) if found else None


RULES = [
    make(
        lattice, code="ACME101", slug="acme-lattice", title="The lattice does not tile", level="error",
        what="W.", why="Y.", example="lattice of 3 does not tile 7", tell_apart="T.", literals=("does not tile",),
    )
]
"""
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path, monkeypatch) -> Iterator[Install]:
    """Installs a distribution into a folder that is on the path."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def put(name: str, code: str, entry: str = "{module}:RULES", version: str = "1.0") -> Path:
        module = name.replace("-", "_")
        (site / f"{module}.py").write_text(dedent(code))
        info = site / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[xladoctor.rules]\nmain = {entry.format(module=module)}\n")
        (info / "RECORD").write_text(f"{module}.py,,\n{info.name}/METADATA,,\n{info.name}/entry_points.txt,,\n")
        forget()
        return site

    yield put
    forget()


def forget() -> None:
    for cached in (plugins._load, all_rules, diagnose):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith("acme")]:
        del sys.modules[name]


def test_without_plugins_nothing_is_loaded():
    code = (
        "import sys, xladoctor.rules as r; n = len(r.all_rules()); "
        "print(n == len(r.CODES), 'importlib.metadata' in sys.modules, r.plugin_problems())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True False ()"


def test_a_rule_of_a_plugin_is_a_rule_like_any_other(install, capsys):
    install("acme-rules", GOOD)
    rule = by_code("acme101")
    assert rule is by_slug("acme-lattice") is all_rules()[-1] and rule.origin == "acme-rules 1.0"
    [found] = diagnose("Traceback (most recent call last):\n  File \"/home/a/t.py\", line 3, in f\n    g()\n"
                       "ValueError: lattice of 3 does not tile 7\n")  # fmt: skip
    assert (found.code, found.slug, found.dims, found.role) == ("ACME101", "acme-lattice", (3, 7), "root")
    assert main(["explain", "ACME101"]) == 0
    assert "From the plug-in acme-rules 1.0." in capsys.readouterr().out
    assert main(["rules", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out)["rules"]
    assert listed[0]["code"] == "ACME101" and listed[0]["origin"] == "acme-rules 1.0"
    assert {r["origin"] for r in listed[1:]} == {"xladoctor"}
    assert main(["explain", "--search", "ValueError: lattice of 9 does not tile 2"]) == 0
    assert capsys.readouterr().out.startswith("ACME101")


def test_the_command_finds_it_in_an_installed_package(install, tmp_path):
    site = install("acme-rules", GOOD)
    log = tmp_path / "train.log"
    log.write_text("ValueError: lattice of 3 does not tile 7\n")
    command = [sys.executable, "-m", "xladoctor", "scan", "--format", "json", str(log)]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(site)}, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["findings"][0]["class"] == "acme-lattice"
    off = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": str(site), "XLADOCTOR_PLUGINS": "0"}, check=False
    )
    assert json.loads(off.stdout)["findings"][0]["class"] == "not-xla"


def test_a_function_may_return_the_rules_and_one_rule_is_enough(install):
    install("acme-a", GOOD + "\n\ndef rules():\n    return RULES\n", "{module}:rules")
    install("acme-b", GOOD.replace("ACME101", "ACME102").replace("acme-lattice", "acme-b") + "\nONE = RULES[0]\n",
            "{module}:ONE")  # fmt: skip
    assert [rule.code for rule in all_rules()][-2:] == ["ACME101", "ACME102"] and plugin_problems() == ()


def broken() -> Iterator[tuple[str, str, str, str]]:
    yield "does not import", "import a_module_that_is_not_there", "{module}:RULES", "No module named 'a_module_that"
    yield "has a syntax error", "def f(:\n", "{module}:RULES", "SyntaxError"
    yield "ends the process", "raise SystemExit(3)", "{module}:RULES", "SystemExit: 3"
    yield "lacks the object", "x = 1", "{module}:RULES", "has no attribute 'RULES'"
    yield "gives no rules", "RULES = 3", "{module}:RULES", "not iterable"
    yield "gives something else", "RULES = ['a rule']", "{module}:RULES", "not used for str: it is no xladoctor.rules"
    for name, old, new, said in (
        ("takes a code of ours", "ACME101", "XD301", "XD is the doctor's own"),
        ("has an odd code", "ACME101", "acme-1", "capital letters and three digits"),
        ("takes a class of ours", "acme-lattice", "reshape-mismatch", "reshape-mismatch belongs to xladoctor itself"),
        ("has an odd class", "acme-lattice", "Acme Lattice", "use small letters and hyphens"),
        ("lacks a text", 'why="Y."', 'why=" "', "it has no why"),
        ("has an odd level", 'level="error"', 'level="fatal"', "its level is 'fatal', not one of error, warning, note"),
        ("has an odd remedy", 'tell_apart="T."', 'tell_apart="T.", remedies=("x",)', "each remedy must be a Remedy"),
    ):
        yield name, GOOD.replace(old, new), "{module}:RULES", said


@pytest.mark.parametrize(("code", "entry", "said"), [pytest.param(*b[1:], id=b[0]) for b in broken()])
def test_a_broken_plugin_is_one_line(install, code, entry, said, capsys):
    install("acme-broken", code, entry)
    [problem] = plugin_problems()
    assert said in problem and problem.startswith("the plug-in acme-broken 1.0 ") and "\n" not in problem
    assert not [rule for rule in all_rules() if rule.origin]
    assert main(["rules", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("XD101\n") and captured.err == f"xladoctor: {problem}\n"


def test_the_second_of_two_that_want_the_same_code_is_refused(install):
    install("acme-one", GOOD)
    install("acme-two", GOOD)
    assert [rule.origin for rule in all_rules() if rule.origin] == ["acme-one 1.0"]
    assert plugin_problems() == ("the plug-in acme-two 1.0 is not used for ACME101: ACME101 belongs to acme-one 1.0",)


def test_a_rule_that_raises_is_left_out_and_told_with_the_diagnosis(install, tmp_path, capsys):
    install("acme-raises", GOOD.replace("found = find(", 'raise KeyError("oh\x1b[2J")\n    found = find('))
    log = tmp_path / "train.log"
    log.write_text("ValueError: lattice of 3 does not tile 7\n")
    assert main(["scan", str(log), "--format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["findings"][0]["class"] == "not-xla"
    [note] = data["notes"]
    assert note.startswith("the rule ACME101 of acme-raises 1.0 failed and was left out: KeyError: ")
    assert main(["scan", str(log)]) == 1
    shown = capsys.readouterr().out
    assert "ACME101" in shown and "\x1b" not in shown


def test_findings_of_another_class_are_not_taken_and_hide_nothing(install):
    install(
        "acme-strange",
        GOOD
        + dedent("""
        from dataclasses import replace
        from xladoctor.model.diagnosis import Finding

        def match(evidence):
            yield Finding("XD301", "reshape-mismatch", "error", "root", "t", "m")
            yield 3

        RULES = [replace(RULES[0], match=match)]
    """),
    )
    assert [f.code for f in diagnose("ValueError: lattice of 3 does not tile 7\n")] == ["XD901"]
    assert ["which is no finding of its own" in said for said in plugin_problems()] == [True, True]


def test_an_unknown_code_still_suggests(install):
    install("acme-rules", GOOD)
    with pytest.raises(UnknownRule) as error:
        by_slug("acme-latice")
    assert "acme-lattice" in error.value.suggestions


def test_a_line_that_only_a_plugin_knows_is_found_in_a_large_log(install):
    """No traceback, no word of the doctor's own: the rule's literal brings the line."""
    install("acme-rules", GOOD)
    steps = "".join(f"step {i} time 0.1 value 0.5\n" for i in range(4000))
    [found] = diagnose(f"{steps}lattice of 3 does not tile 7\n{steps}")
    assert (found.code, found.dims) == ("ACME101", (3, 7))
    assert plugin_problems() == ()


def test_a_rule_without_literals_is_used_and_that_is_said(install):
    install("acme-rules", GOOD.replace(', literals=("does not tile",)', ""))
    assert by_code("ACME101").origin == "acme-rules 1.0"
    [problem] = plugin_problems()
    assert "ACME101" in problem and "names no `literals`" in problem


@pytest.mark.parametrize("bad", ['("abc",)', '"does not tile"', '("a\\nlong one",)', "(7,)"])
def test_literals_that_no_line_can_be_found_by(install, bad):
    install("acme-rules", GOOD.replace('("does not tile",)', bad))
    with pytest.raises(UnknownRule):
        by_code("ACME101")
    assert "its literals must be a tuple" in plugin_problems()[0]


def test_more_literals_than_one_search_takes():
    from xladoctor.logs.matcher import scan

    many = tuple(f"word-{i:03d}!".encode() for i in range(200))
    data = b"\n".join(many) + b"\n"
    assert [data[start:stop] for _, start, stop in scan(data, len(data), many).hits or ()] == list(many)
