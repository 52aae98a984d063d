"""The grammar of secrets: choices that it makes, what holds for every text, and what it costs."""

# ruff: noqa: RUF005

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes import redaction
from probes.redaction import clean, names
from tests import patterns

HIDDEN = redaction.REDACTED
PIECES = st.sampled_from(
    [
        "--password",
        "=",
        ":",
        " ",
        '"',
        "'",
        "\\",
        "{",
        "}",
        "[",
        "(",
        ")",
        "://",
        "@",
        "token",
        "-p",
        "-u",
        "mysql ",
        "\n",
    ]
    + [
        "api_key",
        "Bearer ",
        "eyJ",
        ".",
        "hunter2",
        "-----BEGIN PRIVATE KEY-----",
        "login(",
        ",",
        "<password>",
        "&",
        ";",
        "é",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_spans_are_in_order_and_what_is_left_is_left_again(text):
    spans = redaction.spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    once = redaction.of_text(text)
    assert len(once) == len(text) + sum(len(HIDDEN) - (end - start) for start, end in spans)


@given(st.lists(TEXTS, max_size=6), TEXTS)
@settings(max_examples=100, deadline=None)
def test_any_command_line_and_any_variable_can_be_read(words, value):
    assert len(redaction.of_words(words)) == len(words)
    assert isinstance(redaction.of_value("DB_PASSWORD", value), str)
    assert isinstance(redaction.of_value(value, "hunter2"), str)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        # `-p` of an unknown program: a number, a port, a path, a word, a word with a number stay.
        ("train -p 8080", "train -p 8080"),
        ("train -p train", "train -p train"),
        ("train -p fp16", "train -p fp16"),
        ("train -p hunter2", f"train -p {HIDDEN}"),
        ("train -phunter2", f"train -p{HIDDEN}"),
        ("train -u ada -p train", f"train -u ada -p {HIDDEN}"),
        ("mysql -p study", "mysql -p study"),
        ("mysql -pstudy", f"mysql -p{HIDDEN}"),
        ("sshpass -p study ssh node7", f"sshpass -p {HIDDEN} ssh node7"),
        ("python -u train.py -u ada:hunter2", f"python -u train.py -u ada:{HIDDEN}"),
        ("docker run -u 1000:1000 -p 8080:80 x", "docker run -u 1000:1000 -p 8080:80 x"),
        ("train --password -Xy7zzq", f"train --password {HIDDEN}"),
        ("train --password --epochs 3", "train --password --epochs 3"),
        ("train --credentials ~/.aws/credentials", "train --credentials ~/.aws/credentials"),
    ],
)
def test_command_lines(words, left):
    assert " ".join(redaction.of_words(words.split())) == left


@pytest.mark.parametrize(
    "name", ["TF_PASS", "DB_PW", "GCP_CREDS", "apiKey", "APIKey", "--db.password", "DBPASS", "x-api-key"]
)
def test_names_of_secrets(name):
    assert names.is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "TF_XLA_FLAGS",
        "monkey",
        "keyboard",
        "token_count",
        "max_tokens",
        "tokenizer",
        "seed",
        "PWD_FILE",
        "key_dim",
        "author",
    ]
    + ["forward_pass", "bypass", "compass", "password_file", "ask_password", "pad_token", "cache_key", "sort-key"],
)
def test_names_of_nothing_secret(name):
    assert not names.is_secret(name)


NAMES = st.sampled_from(
    ["file", "shape", "name", "graph", "password", "user", "auth_db", "token", "pin", "n", "--token"]
)
DATA = st.recursive(
    TEXTS | st.lists(PIECES, max_size=3).map("".join) | st.integers(0, 9_999_999) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@given(DATA)
@settings(max_examples=150, deadline=None)
def test_what_is_taken_for_clean_at_once_holds_nothing_secret(value):
    if clean.is_clean(value):
        with mock.patch.object(redaction, "is_clean", return_value=False):
            assert redaction.of_data(value) == value


@pytest.mark.parametrize(
    "value",
    ["password:1234", "<password>hunter2</password>", "AKIA2E0A8F3B244C9986", ["--token", "hunter2"]]
    + [{"token": "hunter2"}, {"pin": 12345}, {"connection_string": [1, 10_000]}, {"user": "ada:hunter2"}],
)
def test_what_may_hold_a_secret_is_not_taken_for_clean(value):
    assert not clean.is_clean(value)


def test_an_event_of_twenty_tensors_is_taken_for_clean():
    tensors = [
        {"graph": "g1", "name": f"model/conv2d_{i}/BiasAdd:0", "dtype": "float32", "shape": [None, 32, 32]}
        for i in range(20)
    ]
    assert clean.is_clean({"frames": [{"file": "/home/ada/train.py", "function": "<lambda>", "tensors": tensors}]})


def test_data_is_read_by_the_names_in_it():
    data = {"db": {"user": "ada", "password": "hunter2"}, "argv": ["mysql", "-phunter2"], "n": 3, "pin_code": [1, None]}
    assert redaction.of_data(data) == {
        "db": {"user": "ada", "password": HIDDEN}, "argv": ["mysql", f"-p{HIDDEN}"], "n": 3, "pin_code": [1, None],
    }  # fmt: skip
    assert redaction.of_data({"password": 8237461}) == {"password": HIDDEN}


PUMPS = [
    *[
        "password=",
        "password: ",
        '"token": "',
        "key=",
        "cookie: a ",
        "Cookie: a=b; ",
        "-p ",
        "--token ",
        "login(",
        "://a:",
    ],
    *["://", "@", "a:b@", "eyJ", "eyJ-", "eyJ.", "-----BEGIN PRIVATE KEY-----", "['a', ", "[", "mysql -p", "bash -c '"],
    *[
        "\\",
        '\\"',
        "'",
        '"',
        "a=",
        "a.",
        "A",
        "a",
        "0",
        " ",
        "\n",
        "echo a ",
        "<password>",
        "login a password ",
        "Bearer ",
    ],
    *['password=\\"', "key='", "auth=(", "Xx", "token=(", "&token=", "{", "user:", "$", "hooks.slack.com/services/"],
]


FUNCTIONS = {
    "text": redaction.spans,
    "words": lambda t: redaction.of_words([t]),
    "value": lambda t: redaction.of_value("PATH", t),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_cost_grows_with_the_text_and_not_with_its_square(function, monkeypatch):
    # Python code takes longer for a character than a pattern does.
    monkeypatch.setattr(patterns, "SUSPICIOUS", 0.004)
    grown = {pump: patterns.exponent(function, partial(patterns.repeated, "", pump)) for pump in PUMPS}
    assert {pump: steep for pump, steep in grown.items() if steep > patterns.STEEPEST} == {}


def test_the_text_that_once_took_25_seconds():
    began = time.thread_time()
    redaction.of_text("session_" * 5_000)
    redaction.of_text("a.b+c" * 8_000)
    assert time.thread_time() - began < 2
