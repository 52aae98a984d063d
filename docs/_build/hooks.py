"""What MkDocs calls while it builds the site: pages that stand elsewhere in the checkout, and links that leave the docs."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Files at the top of the checkout, and the pages that they become."""
CASEBOOK = "casebook.md"
_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^()\s#]+)(#[^()\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made here, and those of all codes to what a menu need not list."""
    from mkdocs.structure.files import File, InclusionLevel

    from docs._build.casebook import page as casebook

    for name, uri in PAGES.items():
        text = moved((ROOT / name).read_text(encoding="utf-8"), name, f"docs/{uri}")
        files.append(File.generated(config, uri, content=text))
    files.append(File.generated(config, CASEBOOK, content=casebook()))
    for file in files:
        if re.fullmatch(r"codes/XD\d{3}\.md", file.src_uri):
            file.inclusion = InclusionLevel.NOT_IN_NAV
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Write a link to a file that is no page as the file's path in the checkout."""
    uri = page.file.src_uri
    return _LINK.sub(lambda link: _rewritten(link, PurePosixPath("docs", uri), files), markdown)


def moved(text: str, source: str, target: str) -> str:
    """`text` of the file `source` with its relative links as they are seen from `target`; both from the checkout."""
    here, there = PurePosixPath(source).parent, PurePosixPath(target).parent

    def at_new_place(link: re.Match[str]) -> str:
        bang, label, path, anchor = link[1], link[2], link[3], link[4] or ""
        if re.match(r"\w+:", path):
            return link[0]
        return f"{bang}[{label}]({relpath(normpath(str(here / path)), str(there))}{anchor})"

    return _LINK.sub(at_new_place, text)


def _rewritten(link: re.Match[str], source: PurePosixPath, files: Any) -> str:
    bang, label, path, anchor = link[1], link[2], link[3], link[4] or ""
    if re.match(r"\w+:", path):
        return link[0]
    at = normpath(str(source.parent / path))
    if at in PAGES:
        return f"{bang}[{label}]({relpath('docs/' + PAGES[at], str(source.parent))}{anchor})"
    is_page = at.startswith("docs/") and files.get_file_from_path(at.removeprefix("docs/"))
    if is_page or not (ROOT / at).exists():
        return link[0]  # of one that leads nowhere MkDocs says so
    return label if at in label else f"{label} (`{at}`)"


