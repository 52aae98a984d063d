from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from tests.xladoctor.report import samples
from xladoctor.report import FORMATS, View, render

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
RUN = "xladoctor-runs/20260106T101500Z-3f2a"


def document(diagnosis=samples.LOUD, **view) -> str:
    return render(diagnosis, "markdown", None, View(**{"run_dir": RUN, "target_status": 1, **view}))


def headings(text: str) -> list[str]:
    tokens = GITHUB.parse(text)
    return [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]


def test_the_sections_of_a_blocker():
    assert headings(document()) == [
        "Blocker: ReassemblePatchesLayer.call returned 1 row for a batch of 32",
        "Problem",
        "Command",
        "Error signature",
        "Numerical analysis",
        "Shape trace",
        "XLA paths",
        "Settings timeline",
        "Hypotheses",
        "Root cause",
        "Consequences",
        "Remedies",
        "Next action",
        "How to reproduce",
        "Environment",
    ]


def test_what_is_not_there_has_no_section():
    assert headings(document(samples.HEALTHY)) == ["Diagnosis: Healthy", "Problem", "How to reproduce"]
    assert "Nothing at error level was found." in document(samples.HEALTHY)


def test_tables_are_tables():
    tokens = GITHUB.parse(document())
    assert sum(token.type == "table_open" for token in tokens) == 7


def test_the_numbers():
    text = document()
    assert "| `778752` | `128*78*78 = (B*C)*P*P` |" in text
    assert "4 is C (gridsize squared) or M (images): ambiguous" in text


def test_verdicts_and_remedies():
    text = document()
    assert "| refuted | positions (32 1 2 4) at ReassemblePatchesLayer.call (`events-4711.jsonl:801`) |" in text
    assert "| slower | **verified** | 1.2e-07 | 1.84 |" in text
    assert "| safe | untested |  |  |" in text
    assert "Apply the remedy that was verified: Stay below the threshold" in text


def test_an_untested_remedy_is_not_called_a_cure():
    root = replace(samples.ROOT, remedies=(samples.ONE_CANVAS_EACH,))
    assert "which nobody has run yet" in document(replace(samples.LOUD, findings=(root,)))
    assert "no remedy is known yet" in document(replace(samples.LOUD, findings=(replace(samples.ROOT, remedies=()),)))


def test_the_first_violation_is_marked_once():
    assert document().count("**First violation.**") == 1
    assert document().count("*traced, not executed*") == 2


def test_how_to_reproduce_can_be_pasted():
    text = document(run_dir="my runs/$(id)")
    assert "xladoctor scan 'my runs/$(id)'\n" in text
    assert "xladoctor scan -- python -m ptycho.workflows.dose_response --fault reassembly-collapses-batch\n" in text


def test_what_could_not_be_read():
    assert "**Could not be read:** events-1.jsonl" in document(
        replace(samples.LOUD, problems=("events-1.jsonl ends in the middle of a line",))
    )


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_registered(format):
    for diagnosis in (samples.LOUD, samples.MUTED, samples.HEALTHY):
        assert render(diagnosis, format).endswith("\n")


def test_an_unknown_format():
    with pytest.raises(ValueError, match="no such format: 'pdf'; there are console, json, markdown"):
        render(samples.LOUD, "pdf")
