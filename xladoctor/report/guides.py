"""The guide of the docs that belongs to a class of failure, as a file of this installation."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
GUIDES: dict[str, tuple[str, ...]] = {
    "howto/last-partial-batch.md": ("XD809",),
    "howto/jit-compile.md": (
        *("XD401", "XD402", "XD403", "XD404", "XD405", "XD406", "XD407", "XD408", "XD409", "XD410", "XD411", "XD412"),
        *("XD413", "XD415", "XD803", "XD804", "XD805", "XD806", "XD807", "XD810", "XD818"),
    ),
    "silent.md": ("XD701", "XD702", "XD703", "XD704", "XD813", "XD817"),
    "nan.md": ("XD904",),
    "facts.md": ("XD101", "XD102", "XD201", "XD202", "XD203", "XD801", "XD802"),
    "study.md": ("XD309",),
    "tutorial.md": ("XD301", "XD302", "XD303", "XD304", "XD305", "XD307"),
}
"""Pages of `docs`, and the codes whose readers they help. The wheel carries these pages (pyproject.toml)."""


def guide_of(code: str, package: Path = _PACKAGE) -> Path | None:
    """The page for a code: of the wheel, else of the checkout; None where there is none."""
    for page, codes in GUIDES.items():
        if code in codes:
            places = (package / "_docs" / page, package.parent / "docs" / page)
            return next((place for place in places if place.is_file()), None)
    return None
