"""`[tool.xladoctor.lint]` of the nearest `pyproject.toml`, and what the command line says instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.rules import CODES
from xladoctor.rules.slips import OF_SOURCE
from xladoctor.rules.slips_of_names import OF_NAMES

FAMILY = "XD8"
LEVELS = ("warning", "note", "never")
_SLIPS = frozenset(kind.slug for kind in (*OF_SOURCE.values(), *OF_NAMES.values()))
KNOWN = tuple(code for code, (slug, _) in CODES.items() if code.startswith(FAMILY) or slug in _SLIPS)


@dataclass(frozen=True)
class Settings:
    """Which codes are told (`select`, all where it is empty, without those of `ignore`), and which files are not
    read.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    assume_jit: bool = False
    fail_on: str = "warning"

    def wants(self, code: str) -> bool:
        """Whether findings of this code are told. The longest prefix decides, as `--select XD8 --ignore XD810`."""
        chosen = max(
            (len(prefix) for prefix in self.select if code.startswith(prefix)), default=-1 if self.select else 0
        )
        left = max((len(prefix) for prefix in self.ignore if code.startswith(prefix)), default=-1)
        return chosen > left


def settings(
    start: Path,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    exclude: Sequence[str] = (),
    assume_jit: bool | None = None,
    fail_on: str | None = None,
    top: Path | None = None,
) -> Settings:
    """What holds for a run in the folder `start`: the file's settings, and over them those of the command line. Above
    the folder `top` no file is read.

    Raises:
        XladoctorError: a code that does not exist, or a section that is wrong.
    """
    found = _of_file(start, top)
    if select:
        found = replace(found, select=codes(select, "--select"))
    if ignore:
        found = replace(found, ignore=(*found.ignore, *codes(ignore, "--ignore")))
    found = replace(found, exclude=(*found.exclude, *exclude))
    if assume_jit is not None:
        found = replace(found, assume_jit=assume_jit)
    return replace(found, fail_on=fail_on) if fail_on is not None else found


def codes(given: Sequence[str], where: str) -> tuple[str, ...]:
    """Codes and beginnings of codes, as in `XD803,XD81`; slugs too.

    Raises:
        XladoctorError: one that no code of the lint begins with.
    """
    by_slug = {slug: code for code, (slug, _) in CODES.items() if code in KNOWN}
    out: list[str] = []
    for item in (part.strip() for text in given for part in text.split(",")):
        code = by_slug.get(item.lower(), item.upper())
        if not item:
            continue
        if not any(known.startswith(code) for known in KNOWN):
            hint = did_you_mean(item, [*KNOWN, *by_slug]) or "All of them: xladoctor rules"
            raise XladoctorError(f"{where}: no finding of lint has the code {item!r}", hint=hint)
        out.append(code)
    return tuple(out)


def _of_file(start: Path, top: Path | None) -> Settings:
    for folder in (start, *start.parents):
        if top is not None and not folder.is_relative_to(top):
            break
        file = folder / "pyproject.toml"
        try:
            data = file.read_bytes()
        except OSError:
            continue
        # Reading TOML takes longer than looking whether there is anything to read.
        section = _section(file, data) if b"xladoctor" in data else None
        if section is not None:
            return _checked(file, section)
    return Settings()


def _section(file: Path, data: bytes) -> dict[str, Any] | None:
    import importlib
    import sys

    reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        found = reader.loads(data.decode("utf-8")).get("tool", {}).get("xladoctor", {})
    except ValueError as error:
        raise XladoctorError(f"{file} cannot be read: {error}") from None
    section = found.get("lint", {}) if isinstance(found, dict) else {}
    if not isinstance(section, dict):
        raise XladoctorError(f"{file}: tool.xladoctor.lint is no table")
    return section if found else None


def _checked(file: Path, section: dict[str, Any]) -> Settings:
    where = f"{file}, tool.xladoctor.lint"
    known = ("select", "ignore", "exclude", "assume-jit", "fail-on")
    for key in section:
        if key not in known:
            hint = did_you_mean(key, list(known)) or f"Known: {', '.join(known)}."
            raise XladoctorError(f"{where}: {key!r} is not known", hint=hint)
    lists: dict[str, tuple[str, ...]] = {}
    for key in ("select", "ignore", "exclude"):
        value = section.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise XladoctorError(f"{where}: {key} is no list of words")
        lists[key] = tuple(value) if key == "exclude" else codes(value, f"{where}, {key}")
    assume, fail_on = section.get("assume-jit", False), section.get("fail-on", "warning")
    if not isinstance(assume, bool):
        raise XladoctorError(f"{where}: assume-jit is neither true nor false")
    if fail_on not in LEVELS:
        raise XladoctorError(f"{where}: fail-on is none of {', '.join(LEVELS)}")
    return Settings(lists["select"], lists["ignore"], lists["exclude"], assume, fail_on)
