from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from tests.xladoctor.report import samples
from xladoctor.model.diagnosis import Finding, Hypothesis, Proof, Remedy
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
        "Call stack",
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
    assert sum(token.type == "table_open" for token in tokens) == 8


def test_the_numbers():
    text = document()
    assert "| `778752` | `128*78*78 = (B*C)*P*P` |" in text
    assert "4 is C (gridsize squared) or M (images): ambiguous" in text


def test_frames_of_libraries_are_folded_and_shared_frames_shown_once():
    text = document().partition("## Call stack")[2].partition("\n## ")[0]
    assert (
        f"```\n... 1 frame of Python\n{samples.STUDY}:380 in main\n    model.fit(x, y, batch_size=32)\n"
        "... 2 frames of keras\n```" in text
    )
    assert f"```\n... 1 frame as above\n{samples.LAYERS}:203 in call\n" in text
    assert (
        "**The call in the graph whose op failed: Reshape Reshape_4** (`worker.jsonl`): the call that failed." in text
    )


def test_verdicts_and_remedies():
    text = document()
    assert "| refuted | positions (32 1 2 4) at ReassemblePatchesLayer.call (`events-4711.jsonl:801`) |" in text
    assert "| slower | **verified** | 1.2e-07 | 1.84 |" in text
    assert "| safe | untested |  |  |" in text
    assert "Apply the remedy that was verified: Stay below the threshold" in text


def test_an_untested_remedy_is_not_called_a_cure():
    root = replace(samples.ROOT, remedies=(samples.ONE_CANVAS_EACH,))
    assert "which was not tested" in document(replace(samples.LOUD, findings=(root,)))
    assert "no remedy is known yet" in document(replace(samples.LOUD, findings=(replace(samples.ROOT, remedies=()),)))


def test_the_first_violation_is_marked_once():
    near, _, whole = document().partition("<details>")
    assert near.count("**First violation.**") == whole.count("**First violation.**") == 1
    assert "*traced, not executed*" not in near and whole.count("*traced, not executed*") == 2
    assert len([line for line in near.partition("## Shape trace")[2].splitlines() if line.startswith("|")]) <= 16


def rendered(diagnosis) -> str:
    return GITHUB.render(document(diagnosis))


def test_names_between_backticks_are_code():
    remedy = Remedy("r", "Call `fit` once", "safe", "Use `tf.squeeze(x, axis=[0])`, or `a|b`.")
    root = replace(samples.ROOT, remedies=(remedy,), evidence=(Proof("log", "unbalanced ` tick", None),))
    text = rendered(replace(samples.LOUD, findings=(root,)))
    assert "<td>Call <code>fit</code> once</td>" in text
    assert "<td>Use <code>tf.squeeze(x, axis=[0])</code>, or <code>a|b</code>.</td>" in text
    assert "unbalanced ` tick" in text


def test_details_are_words_and_not_a_dump():
    details = {
        **samples.ROOT.details,
        "birth": {"op": "Sum", "node": "a/Sum", "shape": [1, 78], "inputs": [{"shape": [64, 78]}], "loses": True},
        "born": ["/p/f.py:1 in f", "/p/g.py:2 in g"],
        "met": {"place": "m:translate", "inputs": {"images": [4, 78]}, "caller": "/p/h.py:3 in h"},
        "ambiguous": {"have": False},
        "somebody_elses": {"x": 1},
    }
    text = document(replace(samples.LOUD, findings=(replace(samples.ROOT, details=details),)))
    assert "- the op in which the size originates: `Sum`, `a/Sum`, `(64 78) -> (1 78)`" in text
    assert "- the lines there, innermost first: `/p/f.py:1 in f`, `/p/g.py:2 in g`" in text
    assert "- the watched place before it: `m:translate`, `images (4 78)`" in text
    for raw in ("ambiguous.", "met.", "loses", "somebody_elses", "- phase", "- place:"):
        assert raw not in text


def test_a_long_environment_shows_what_matters_first():
    places = {f"m:f{n}": f"/p/f.py:{n}" for n in range(20)}
    long = replace(samples.LOUD, environment={**samples.LOUD.environment, "places": places})
    shown, _, rest = document(long).partition("## Environment")[2].partition("<details>")
    assert "versions.tensorflow | `2.21.0`" in shown and "m:f3" not in shown
    assert "places.m:f3 | `/p/f.py:3`" in rest and "versions.tensorflow" not in rest


def test_warnings_are_no_blocker():
    finding = Finding("XD902", "not-recorded", "warning", "root", "Nothing was recorded.", "Why.", status="confirmed")
    text = document(replace(samples.HEALTHY, verdict="warnings", findings=(finding,)))
    assert "# Diagnosis: Nothing was recorded\n" in text and "Blocker" not in text
    assert "**Warning**: Nothing was recorded.\n" in text
    assert "## Warning\n" in text and "Root cause" not in text


def test_hypotheses_say_whose_they_are_and_end_with_the_deciding_proof():
    proofs = tuple(Proof("setting", f"read {n}", None) for n in range(6))
    claim = Hypothesis("H2", "t", "report 002", "refuted", (*proofs, Proof("setting", "no write of False", None)))
    text = document(replace(samples.LOUD, hypotheses=(claim,)))
    assert "Suspected in such failures before; each was tested on this run." in text
    assert "read 0; read 1; read 2; no write of False" in text


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
