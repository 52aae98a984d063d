"""Every command that the docs and the help show can be given: its options, subcommands, modules, targets and extras
are there. They are run, too: by `test_page_commands.py`, and by the tests of their pages (`test_readme.py` and others).
"""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.commands import ROOT, commands, wrong
from xladoctor.cli.summaries import SUMMARIES

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/README.md")])


def mistakes(text: str) -> list[str]:
    return [f"{command}: {said}" for command in commands(text) if (said := wrong(command))]


def test_the_commands_of_all_pages():
    found = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
    assert len(found) > 100 and sum(1 for text in found.values() for _ in commands(text)) > 200
    assert [f"{page}: {said}" for page, text in found.items() for said in mistakes(text)] == []


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_examples_of_the_help(name):
    text = import_module(f"xladoctor.cli.{name}").EPILOG.partition("Examples:\n")[2].partition("\n\n")[0]
    assert text.count("xladoctor ") >= 1 and list(commands(f"```\n{text}\n```\n"))
    assert mistakes(f"```sh\n{text}\n```\n") == []


GOOD = """
```console
$ PTYCHO_FAULT=x ~/doctor/bin/xladoctor scan --export mlflow:URI --timeout SECONDS -- python -m ptycho.workflows.dose_response --N 64
xladoctor scam, which is output
$ python train.py 2>&1 | xladoctor scan - > out.txt
```
```
xladoctor lint PATH...          what --no-such-option means
xladoctor scan --format FORMAT [LOG]
```
```sh
make test    # all of it
xladoctor scan \\
  train.log
pip install 'xladoctor[mcp]' && xladoctor --version
```
A span `xladoctor attach PID`, one `report --diff A
B`, one `xladoctor scan --color always|never LOG`, one `xladoctor scan --timeout`, and `lint` of code.
"""  # noqa: E501 - a line of a page


def test_what_can_be_given_is_found_and_right():
    found = list(commands(GOOD))
    assert len(found) == 11 and "xladoctor scan train.log" in found and "xladoctor report --diff A B" in found
    assert "xladoctor lint PATH..." in found and not [command for command in found if "scam" in command]
    assert mistakes(GOOD) == []


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("`xladoctor scam x`", "there is no command scam"),
        ("`xladoctor scan --formatt json x`", "No such option '--formatt'"),
        ("`scan --capture some -- CMD`", "'some' is none of"),
        ("```\nxladoctor attach hung   what\n```\n", "'hung' is not a valid int"),
        ("```console\n$ cat x | xladoctor scan - --nope\n```\n", "No such option '--nope'"),
        ("```sh\nxladoctor lint a b --fix \\\n  --nope\n```\n", "No such option '--nope'"),
        ("`xladoctor scan -- python -m ptycho.workflows.nothing`", "there is no module ptycho.workflows.nothing"),
        ("`xladoctor scan -- python -m ptycho.workflows.dose_response --nope 1`", "unrecognized arguments: --nope 1"),
        ("`python -m ptycho.workflows.make_example --N 64`", "the following arguments are required: file"),
        ("`python -m benchmarks nothing`", "there is no benchmark nothing"),
        ("`.venv/bin/python -m pytest -q tests/nothing.py`", "there is no file tests/nothing.py"),
        ("```sh\npipx install dist/xladoctor-0.0-py3-none-any.whl\n```\n", "there is no wheel dist/xladoctor-0.0"),
        ("```sh\nmake nothing\n```\n", "make has no target nothing"),
        ("```sh\npython -m pip install x && pip install 'xladoctor[nope]'\n```\n", "there is no extra nope"),
        ("`x`\n```sh\nuv tool install '.[nope]'\n```\n", "there is no extra nope"),
        ("```sh\npytest --xladoctor-nope\n```\n", "pytest has no option --xladoctor-nope"),
        ("```sh\nunknown program\n```\n", "no check for the program unknown"),
    ],
)
def test_what_cannot_be_given_is_a_mistake(bad, said):
    [mistake] = mistakes(bad)
    assert said in mistake
