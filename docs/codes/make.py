"""Write the page of every code from the texts of its rule: `python docs/codes/make.py`."""

from __future__ import annotations

from pathlib import Path

from xladoctor.report.rule_text import one_markdown
from xladoctor.report.text import md_mixed
from xladoctor.rules import all_rules

HERE = Path(__file__).parent
INTRODUCTION = """# Codes

What `xladoctor` knows, one page a code; the same text as `xladoctor explain CODE`. A code never changes its meaning.
These pages are made by `python docs/codes/make.py`.

| code | class | what |
|---|---|---|
"""


def pages() -> dict[str, str]:
    """File name -> text, of all pages and the index."""
    rules = all_rules()
    made = {f"{rule.code}.md": one_markdown(rule).rstrip() + "\n" for rule in rules}
    rows = (
        f"| [{rule.code}]({rule.code}.md) | `{rule.slug}` | {md_mixed(rule.title, table=True)} |\n" for rule in rules
    )
    return {"README.md": INTRODUCTION + "".join(rows), **made}


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text)
