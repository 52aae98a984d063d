"""What every page of ours must be, read as strictly as the standard of HTML does."""

from __future__ import annotations

import base64
import hashlib
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import Element

from tests.xladoctor.report.hostile import CONTROL

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
# All that may stand on a page. No script, no form, no frame, no picture, no link to elsewhere.
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "a", "header", "main", "nav", "section", "footer"),
    *("h1", "h2", "h3", "p", "div", "span", "strong", "br", "wbr", "ul", "ol", "li", "dl", "dt", "dd", "code", "pre"),
    *("table", "caption", "colgroup", "col", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *("figure", "figcaption"),
}
DRAWN = {"svg", "title", "desc", "rect", "circle", "path", "text"}
ATTRIBUTES = {
    *("id", "class", "href", "lang", "charset", "content", "name", "http-equiv", "scope", "colspan", "tabindex"),
    *("role", "aria-label", "aria-labelledby"),
}
DRAWING = {
    *("role", "aria-labelledby", "viewBox", "width", "height", "id", "class", "x", "y", "rx", "cx", "cy", "r", "d"),
}


def read(text: str) -> Element:
    """The page; html5lib raises at the first thing that the standard calls an error."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=True).parse(text)


def check_page(text: str) -> Element:
    assert not CONTROL.search(text)
    page = read(text)
    _only_what_is_allowed(page)
    _closed_to_the_world(text, page)
    _for_everybody(page)
    return page


def words(page: Element) -> str:
    """What a reader sees (without the style)."""
    return " ".join(" ".join(_words(page)).split())


def _words(element: Element) -> Iterator[str]:
    if element.tag == f"{HTML}style":
        return
    yield element.text or ""
    for child in element:
        yield from _words(child)
        yield child.tail or ""


def _only_what_is_allowed(page: Element) -> None:
    for element in page.iter():
        if not isinstance(element.tag, str):
            continue
        space, _, tag = element.tag[1:].rpartition("}")
        known, allowed = (DRAWN, DRAWING) if space == SVG[1:-1] else (TAGS, ATTRIBUTES)
        assert tag in known, tag
        assert set(element.keys()) <= allowed, (tag, element.keys())
        assert not re.search(r"(?i)javascript:|data:|//", element.get("href", "")), element.get("href")


def _closed_to_the_world(text: str, page: Element) -> None:
    style = page.find(f".//{HTML}style").text
    policy = page.find(f".//{HTML}meta[@http-equiv='Content-Security-Policy']").get("content")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"), (
        "the policy allows this very style, and nothing else"
    )
    assert "url(" not in style and "@import" not in style
    assert page.findall(f".//{HTML}style")[1:] == []
    names = {element.get("id") for element in page.iter() if element.get("id")}
    assert len(names) == len([e for e in page.iter() if e.get("id")]), "every id is unique"
    targets = [element.get("href") for element in page.iter(f"{HTML}a")]
    assert all(target.startswith("#") and target[1:] in names for target in targets), "every link stays, and leads"


def _for_everybody(page: Element) -> None:
    body = page.find(f"{HTML}body")
    assert page.get("lang") == "en" and page.findtext(f".//{HTML}title").strip()
    assert len(page.findall(f".//{HTML}main")) == len(page.findall(f"{HTML}body/{HTML}header")) == 1
    assert body[0].get("href") == "#content", "the first thing that the keyboard reaches skips to the content"
    levels = [int(e.tag[-1]) for e in page.iter() if re.fullmatch(re.escape(HTML) + r"h\d", str(e.tag))]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels)), f"headings are in order: {levels}"
    names = {e.get("id") for e in page.iter()}
    for table in page.iter(f"{HTML}table"):
        assert "".join(table.find(f"{HTML}caption").itertext()).strip()
        assert [th.get("scope") for th in table.iter(f"{HTML}th")] == ["col"] * len(list(table.iter(f"{HTML}th")))
        assert all("".join(th.itertext()).strip() for th in table.iter(f"{HTML}th")), "every column has a name"
        heads = len(list(table.iter(f"{HTML}th")))
        for row in table.findall(f"{HTML}tbody/{HTML}tr"):
            assert sum(int(cell.get("colspan", 1)) for cell in row) == heads
    for section in page.iter(f"{HTML}section"):
        assert section.get("aria-labelledby") in names
    for nav in page.iter(f"{HTML}nav"):
        assert nav.get("aria-label") and body.get("class") == "aside", "the contents stand beside the page"
    for term in page.iter(f"{HTML}dt"):
        assert "".join(term.itertext()).strip()
    for box in page.iter(f"{HTML}div"):
        if box.get("class") == "scroll":
            assert box.get("tabindex") == "0" and box.get("aria-label"), "what scrolls can be reached by the keyboard"
    for picture in page.iter(f"{SVG}svg"):
        assert picture.get("role") == "img"
        assert picture[0].tag == f"{SVG}title" and picture[0].text
        assert picture[1].tag == f"{SVG}desc" and picture[1].text
        assert picture.get("aria-labelledby").split() == [picture[0].get("id"), picture[1].get("id")]
