"""Templates of the users' own: what they are given, what they cannot do, and how their mistakes are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.xladoctor.report import samples
from tests.xladoctor.report.hostile import EVIL, everywhere
from tests.xladoctor.report.pages import check_page
from xladoctor.errors import XladoctorError
from xladoctor.report import View
from xladoctor.report.template import find, render

GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
VIEW = View(run_dir="runs/1", target_status=1)


def fill(tmp_path: Path, text: str, ending: str = ".md.j2", diagnosis=samples.LOUD, view=VIEW) -> str:
    (tmp_path / f"own{ending}").write_text(text)
    return render(find(str(tmp_path / f"own{ending}"), ("blocker",)), diagnosis, view)


def test_what_it_is_given(tmp_path):
    said = fill(
        tmp_path,
        "{{ root.code }} {{ root.class }} {{ diagnosis.verdict }} {{ run.folder }} {{ run.ended }}\n"
        "{% for f in diagnosis.findings %}{{ loop.index }}. {{ f.title }}\n{% endfor %}"
        "{% for s in diagnosis.shapes if s.first_violation %}{{ s.runtime|shape|code }}{% endfor %}\n"
        "{{ sections.stack }}\n{{ next_action }}\n{{ commands[0]|fence('sh') }}\n[{{ sections.replays }}]",
    )
    assert said.startswith("XD309 contract-violation failed runs/1 the program ended with 1\n1. Reass")
    assert "`(1 78 78 1)`" in said and "## Call stack" in said and "Apply the remedy" in said
    assert "```sh\nxladoctor scan runs/1\n```" in said and said.endswith("[]\n")


def hostile():
    found = everywhere(EVIL)
    return replace(found, findings=(replace(found.findings[0], role="root"), *found.findings[1:]))


def test_the_template_of_the_docs(tmp_path):
    docs = (Path(__file__).resolve().parents[3] / "docs" / "report.md").read_text()
    said = fill(tmp_path, docs.partition("```jinja\n")[2].partition("```\n")[0])
    tables = [t for t in GITHUB.parse(said) if t.type == "table_open"]
    assert said.startswith("# ReassemblePatchesLayer.call returned 1 row") and len(tables) == 2
    assert "| failed | `contract-violation` | `/home/ada/study/ptycho/custom_layers.py:171` |" in said
    assert "- not so: USE\\_XLA\\_TRANSLATE" in said or "- not so: USE_XLA_TRANSLATE" in said
    assert "```sh\nxladoctor scan runs/1\nxladoctor scan -- python -m" in said
    assert fill(tmp_path, docs.partition("```jinja\n")[2].partition("```\n")[0], diagnosis=samples.HEALTHY)


HOSTILE = """\
# {{ root.title }}

{% macro row(a, b) %}| {{ a }} | {{ b }} |
{% endmacro %}
| a | b |
| --- | --- |
{{ row(root.message, root.title|cell) }}
{% set both %}{{ root.title }}{% endset %}
{{ both }} {{ root.title ~ ' ' ~ (root.title|code) }}

- {{ [root.title, root.message|code]|join(', ') }}
- {{ root.title|upper }} {{ root.title[:9999] }} {{ diagnosis|tojson }}

{{ root.message|fence }}

{{ root.message|prose }}
{{ sections.shapes }}
"""


def test_hostile_text_in_markdown(tmp_path):
    said = fill(tmp_path, HOSTILE, diagnosis=hostile())
    tokens = GITHUB.parse(said)
    flat = [t for token in tokens for t in (token, *(token.children or ()))]
    assert not [t for t in flat if t.type in ("link_open", "image", "html_inline")]
    assert {t.content.partition("\n")[0][:9] for t in flat if t.type == "html_block"} <= {"<details>", "</details"}
    assert [t.tag for t in flat if t.type == "heading_open"].count("h1") == 1


def test_hostile_text_in_html(tmp_path):
    page = (
        '<!DOCTYPE html><html lang="en"><head><title>{{ root.title }}</title>'
        '<meta http-equiv="Content-Security-Policy" content="{{ policy }}">{{ style }}</head>'
        '<body><a href="#content">Skip</a><header><h1>{{ root.title }}</h1></header><main id="content">'
        "{{ figures.path }}{{ figures.settings }}<p>{{ root.message|prose }} {{ root.title|code }}</p>"
        "{{ root.message|fence }}{{ sections.shapes }}{{ sections.root }}</main></body></html>"
    )
    for diagnosis in (samples.LOUD, hostile()):
        check_page(fill(tmp_path, page, ".html.j2", diagnosis))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ok\n{% for %}", r"own\.md\.j2:2: "),
        ("a\nb\n{{ rooot.title }}", r"own\.md\.j2:3: 'rooot' is undefined"),
        ("{{ root.titel }}", r"own\.md\.j2:1: .*no attribute 'titel'"),
        ("\n{{ sections.shape }}", r"own\.md\.j2:2: "),
        ("{{ root.title|nosuch }}", r"own\.md\.j2:1: No filter named 'nosuch'"),
        ("\n\n{{ 1 / 0 }}", r"own\.md\.j2:3: ZeroDivisionError: division by zero"),
        ("{{ ''.__class__.__mro__ }}", r"own\.md\.j2:1: access to attribute '__class__'"),
        ("{{ diagnosis.update({}) }}", r"own\.md\.j2:1: "),
        ("{% include '../secret.txt' %}", r"own\.md\.j2:1: .*\.\./secret\.txt"),
        ("{% include '/etc/passwd' %}", r"own\.md\.j2:1: .*/etc/passwd"),
        ("{% for i in range(10**9) %}{% endfor %}", r"own\.md\.j2:1: .*Range too big"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path, text, said):
    (tmp_path.parent / "secret.txt").write_text("secret")
    with pytest.raises(XladoctorError, match=said) as told:
        fill(tmp_path, text)
    assert told.value.exit_code == 2


def test_a_mistake_in_an_included_file(tmp_path):
    (tmp_path / "part.md.j2").write_text("fine\n{{ nothing }}")
    with pytest.raises(XladoctorError, match=r"part\.md\.j2:2: 'nothing' is undefined"):
        fill(tmp_path, "{% include 'part.md.j2' %}")


def test_a_template_that_is_no_text(tmp_path):
    (tmp_path / "own.md.j2").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(XladoctorError, match="is not UTF-8"):
        render(find(str(tmp_path / "own.md.j2"), ()), samples.LOUD, VIEW)


def test_a_healthy_run_has_no_root(tmp_path):
    text = "{% if root %}{{ root.title }}{% else %}nothing wrong{% endif %}{{ sections.root }}"
    assert fill(tmp_path, text, diagnosis=samples.HEALTHY, view=View()) == "nothing wrong\n"
    assert fill(tmp_path, "{{ run.ended }}", diagnosis=replace(samples.HEALTHY), view=View()) == "\n"


@pytest.mark.parametrize(
    "text", ["{% include 'link.md.j2' %}", "{% include 'away/passwd' %}", "{% import 'link.md.j2' as m %}"]
)
def test_a_link_beside_the_template_is_not_followed(tmp_path, text):
    (tmp_path.parent / "secret.md").write_text("the secret")
    (tmp_path / "link.md.j2").symlink_to(tmp_path.parent / "secret.md")
    (tmp_path / "away").symlink_to("/etc")
    with pytest.raises(XladoctorError, match=r"own\.md\.j2:1: .* symbolic link, which is not followed"):
        fill(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'x' * 10**10 }}",
        "{% set n = namespace(s='x' * 1000) %}{% for i in range(99999) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
        "{{ '%9999999999d' % 1 }}",
        "{{ ('x' * 10**9)|list|length }}",
    ],
)
def test_a_template_that_takes_too_much_memory_ends(tmp_path, text):
    with pytest.raises(XladoctorError) as told:
        fill(tmp_path, text)
    assert told.value.exit_code == 2 and "own.md.j2" in told.value.message


def test_a_template_without_end_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("xladoctor.report.bounded.text_of.__defaults__", (1, 1 << 30))
    loops = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"
    with pytest.raises(XladoctorError, match=r"own\.md\.j2: it (took more than 1 s|did not end)"):
        fill(tmp_path, loops)
    with pytest.raises(XladoctorError, match=r"own\.md\.j2: it (took more than 1 s|did not end)"):
        fill(tmp_path, "{{ 9 ** (9 ** 9) }}")


def test_a_template_that_gives_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("xladoctor.report.bounded.LARGEST", 1 << 20)
    with pytest.raises(XladoctorError, match=r"own\.md\.j2: it did not end, or gave more than 1 MiB"):
        fill(tmp_path, "{{ 'x' * 3000000 }}")
