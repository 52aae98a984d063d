"""The first screen of the page, the diff of a tested edit, and the page of `lint`."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.xladoctor.report import samples
from tests.xladoctor.report.pages import check_page, words
from xladoctor.model.diagnosis import Change, Diagnosis, Finding, Location, Proof, Remedy
from xladoctor.report import View, json_, render
from xladoctor.report.excerpt import Excerpt, SourceLine
from xladoctor.report.html import hazards, source, style

CHANGE = Change("/work/ada/train.py", 12, "return x + pooled", "return x[:, ::6] + pooled")
TRIED = Remedy(
    "edit", "train.py:12: take each sixth", "changes-numerics", f"{CHANGE} Tried on a copy: it ran.", "verified", None,
    None, CHANGE,
)  # fmt: skip
PLACE = Location("/work/ada/train.py", 12, "call")


def test_a_remedy_names_its_file_from_the_folder_of_the_command():
    found = diagnosis(replace(TRIED, title="/work/ada/train.py:12: take each sixth"))
    for format in ("html", "markdown"):
        before, _, after = render(found, format).partition("What to do first")
        assert before and "take each sixth" in after[:200] and "/work/ada" not in after[:200]


def diagnosis(remedy: Remedy = TRIED) -> Diagnosis:
    root = replace(samples.LOUD.root, location=PLACE, remedies=(remedy,))
    environment = {**samples.LOUD.environment, "cwd": "/work/ada"}
    return replace(samples.LOUD, findings=(root,), environment=environment)


VIEW = View(excerpts=(Excerpt(PLACE, (SourceLine(11, "# above"), SourceLine(12, "    ", "return x + pooled"))),))


def test_cause_code_and_fix_stand_before_everything_else():
    text = render(diagnosis(), "html", None, VIEW)
    check_page(text)
    marks = ["<h1>", '<span class="bad">   |     ^^^', "What to do first", "<h3>Command</h3>", 'id="shapes"']
    assert [text.index(mark) for mark in marks] == sorted(text.index(mark) for mark in marks)
    said = words(check_page(text))
    assert said.count("returned 1 row for a batch of 32") == 3, "title, heading, and the section of the root"
    assert "at <code>train.<wbr>py:<wbr>12</code> in" in text, "the file is named from the folder of the command"


def test_a_tested_edit_is_a_diff_in_every_format_for_people():
    page = render(diagnosis(), "html", None, VIEW)
    assert '<span class="bad">- return x + pooled</span>\n<span class="ok">+ return x[:, ::6] + pooled</span>' in page
    assert "```diff\n- return x + pooled\n+ return x[:, ::6] + pooled\n```" in render(diagnosis(), "markdown")
    console = render(diagnosis(), "console")
    assert "     - return x + pooled\n     + return x[:, ::6] + pooled\n     Tried on a copy: it ran.\n" in console
    assert "instead of" not in console
    assert json_.from_json(json_.render(diagnosis())).root.remedies[0].change == CHANGE


def test_an_edit_that_nobody_ran_is_no_diff():
    console = render(diagnosis(replace(TRIED, result="untested")), "console")
    assert "`return x[:, ::6] + pooled` instead of" in console and "- return" not in console


def test_green_is_for_what_was_verified_only():
    assert '<div class="box good">' in render(diagnosis(), "html")
    assert '<div class="box good">' not in render(diagnosis(replace(TRIED, result="untested")), "html")


def test_lint_has_a_section_for_each_file_with_its_code():
    def hazard(file: str, line: int, level: str) -> Finding:
        place = Location(file, line, "step")
        found = Finding("XD802", "config-read-at-import", level, "root", "Read at import", f"cfg of line {line}.")
        proof = Proof("source", f"cfg[{line}]", place.place)
        return replace(found, location=place, evidence=(proof,), remedies=(replace(TRIED, change=None),))

    found = (hazard("b.py", 9, "note"), hazard("b.py", 3, "note"), hazard("a_long/name.py", 1, "warning"))
    text = hazards.render(Diagnosis("src", "warnings", found, notes=("2 files read.",)))
    page = check_page(text)
    titles = [title.replace("<wbr>", "") for title in re.findall(r"<h2[^>]*>(.+?)</h2>", text)]
    assert titles == ["a_long/name.py", "b.py", "Notes"], "what is serious comes first"
    assert "a_<wbr>long/<wbr>name.<wbr>py</h2>" in text, "a narrow column breaks it at its signs"
    assert words(page).index("3 | cfg[3]") < words(page).index("9 | cfg[9]")
    assert "1 warning, 2 notes in 2 files" in words(page)
    assert '<h3>Line 3: <span class="dim">note</span> Read at import</h3>' in text
    assert "Nothing found" in words(check_page(hazards.render(Diagnosis("src", "healthy"))))
    below = hazards.render(Diagnosis("/here/src", "warnings", (hazard("/here/src/b.py", 1, "note"),)))
    assert ">b.<wbr>py</h2>" in below, "what all files have in common stands in the head"


def test_source_with_a_caret_is_scrolled_and_not_broken():
    assert source([("3 | x", False), ("  | ^", True)]).startswith('<pre class="src" tabindex="0">')
    screen, _, paper = style.STYLE.partition("@media print{body")
    assert "pre.src{white-space:pre;" in screen and "pre.src{white-space:pre-wrap}" in paper


def test_colours_are_variables_with_one_meaning():
    rules = style.STYLE.partition("*{box-sizing")[2]
    assert not re.search(r"#[0-9a-f]{3,6}\b", rules), "no colour is written into a rule"
    used = set(re.findall(r"var\(--(\w+)\)", rules))
    assert used <= set(style.LIGHT) == set(style.DARK)
    assert ".bad{color:var(--bad)" in rules and ".ok{color:var(--ok)" in rules and ".dim{color:var(--dim)" in rules
