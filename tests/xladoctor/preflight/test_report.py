import json
import re

import pytest
from markdown_it import MarkdownIt

from xladoctor.model.preflight import Batches, Check, Preflight
from xladoctor.preflight.checks.plan import words_of_sizes
from xladoctor.report.preflight import FORMATS, render
from xladoctor.report.preflight.words import verdict

HOSTILE = "\x1b]0;title\x07<script>alert(1)</script> | ![x](http://e.vil) @all\n# heading"


def made(*checks, **fields):
    plan = (Batches("train", 70, 32, HOSTILE, 2), Batches("predict", None, None, "unknown"))
    return Preflight(study=HOSTILE, checks=checks, plan=plan, seconds=3.2, **fields)


def check(state, **fields):
    return Check("sizes", "every size", state, HOSTILE, 1.5, "do this " + HOSTILE, ("oom",), (HOSTILE,) * 3, **fields)


@pytest.mark.parametrize(
    ("states", "strict", "word"),
    [
        (["pass", "skipped"], False, "go"),
        (["pass", "warn"], False, "go"),
        (["pass", "warn"], True, "no-go"),
        (["pass", "fail"], False, "no-go"),
        (["skipped"], False, "unchecked"),
        ([], False, "unchecked"),
    ],
)
def test_the_answer(states, strict, word):
    found = made(*(check(s) for s in states), strict=strict)
    assert (found.verdict, found.go, found.exit_code) == (word, word == "go", int(word == "no-go"))


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_is_harmless_in_every_format(format):
    text = render(made(check("fail"), check("warn")), format, verbose=True)
    assert "\x1b" not in text and "\x07" not in text
    if format == "markdown":
        html = MarkdownIt("commonmark").enable("table").render(text)
        assert not re.search(r"<(script|a|img)\b", html)
        assert html.count("<h1>") == 1
    if format == "json":
        told = json.loads(text)
        assert (told["schema"], told["verdict"]) == ("xladoctor.preflight/1", "no-go")
        assert told["plan"][0]["last"] == 6


def test_console_says_what_to_do_for_what_is_no_pass():
    text = render(made(check("fail"), check("pass")), "console")
    assert text.count("-> do this") == 1
    assert "NO-GO" in text


def test_a_go_of_some_checks_says_of_how_many():
    one = made(check("pass"), there_are=12)
    assert verdict(one) == "GO as far as was asked: 1 of 12 checks"
    assert "GO as far as was asked" in render(one, "console") and "GO as far as was asked" in render(one, "markdown")
    assert json.loads(render(one, "json"))["verdict"] == "go"
    assert verdict(made(check("pass"), there_are=1)) == "GO"
    assert verdict(made(check("fail"), there_are=12)) == "NO-GO"


@pytest.mark.parametrize("format", ["console", "markdown"])
def test_a_no_go_says_what_to_type_next(format):
    failed = Check("rehearsal", "it runs", "fail", "it fails", slugs=("broadcast-mismatch",))
    text = render(made(failed, rehearsed="runs/p/rehearsal"), format)
    assert "xladoctor scan runs/p/rehearsal" in text and "xladoctor explain broadcast-mismatch" in text
    assert "xladoctor scan" not in render(made(check("pass"), rehearsed="runs/p/rehearsal"), format)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [([], "no batch size is known"), ([1], "all batches have 1 row"), ([32], "all batches have 32 rows"),
     ([8, 32], "2 batch sizes: 8, 32")],
)  # fmt: skip
def test_the_batch_sizes_in_words(sizes, said):
    assert words_of_sizes(sizes) == said
