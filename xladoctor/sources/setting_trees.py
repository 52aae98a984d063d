"""A file of settings (JSON, YAML, TOML, INI) as the dict that a program reads from it: each value with its own line."""

from __future__ import annotations

import ast
import configparser
import json
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from typing import Any

from xladoctor.sources.source import Source, Unreadable

_MOST = 4096
"""So many values are taken from a file."""
_HEAD = re.compile(r"^\s*\[\[?(?P<table>[^\]]+)\]\]?\s*(?:[#;].*)?$")
_ENTRY = re.compile(r"^(?P<key>[^=:#;\[\]{}]+)[=:]")
_WORDS = {"true": True, "false": False, "null": None, "NaN": float("nan"), "Infinity": float("inf")}
_WHOLE = re.compile(r"-?\d{1,15}")


def is_settings(file: str) -> bool:
    """Whether a file is one of settings by its name."""
    return PurePath(file).suffix.lower() in _READERS


def parse_settings(text: str, file: str) -> Source:
    """The source of a file of settings: its tree is one expression, a dict or a list of what stands in it.

    Raises:
        Unreadable: it is not what its name says, or too long.
    """
    try:
        made = _READERS[PurePath(file).suffix.lower()](text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, configparser.Error) as error:
        raise Unreadable(f"{file}: {error}") from None
    if sum(1 for _ in ast.walk(made)) > 3 * _MOST:
        raise Unreadable(f"{file}: too many values")
    whole = ast.fix_missing_locations(ast.copy_location(ast.Expr(made), made))
    return Source(file, text, ast.Module([whole], []), text.split("\n"))


class _Words(ast.NodeTransformer):
    """The words of JSON as Python's values."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Constant(_WORDS[node.id]), node)


def _json(text: str) -> ast.expr:
    json.loads(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escapes that JSON has and Python has not
        found: ast.expr = _Words().visit(ast.parse(f"({text}\n)", mode="eval").body)
    return found


def _yaml(text: str) -> ast.expr:
    import yaml

    loader = yaml.SafeLoader(text)

    def of(node: Any, far: int = 0) -> ast.expr:
        if far > 50:
            raise ValueError("nested too deeply")
        line = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            loader.flatten_mapping(node)
            pairs = [(of(key, far + 1), of(value, far + 1)) for key, value in node.value]
            return _at(ast.Dict([key for key, _ in pairs], [value for _, value in pairs]), line)
        if isinstance(node, yaml.SequenceNode):
            return _at(ast.List([of(item, far + 1) for item in node.value], ast.Load()), line)
        return _literal(loader.construct_object(node), line)

    try:
        node = loader.get_single_node()
        return of(node) if node is not None else _at(ast.Dict([], []), 1)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    finally:
        loader.dispose()


def _toml(text: str) -> ast.expr:
    reader = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    return _with_lines(reader.loads(text), _lines(text, "."), ())


def _ini(text: str) -> ast.expr:
    parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    parser.read_string(text)
    lines = _lines(text, None)
    made = {name: {key: _number(value) for key, value in parser[name].items()} for name in parser.sections()}
    pairs = [(name, key) for name, section in made.items() for key in section]
    for_all = {pair: at for pair in pairs if (at := lines.get((configparser.DEFAULTSECT, pair[1])))}
    return _with_lines(made, for_all | lines, ())


def _number(said: str | None) -> str | int | None:
    return int(said) if said is not None and _WHOLE.fullmatch(said) else said


_READERS: Mapping[str, Callable[[str], ast.expr]] = {
    ".json": _json, ".yaml": _yaml, ".yml": _yaml, ".toml": _toml, ".ini": _ini, ".cfg": _ini,
}  # fmt: skip


def _lines(text: str, dot: str | None) -> dict[tuple[str, ...], int]:
    """The line of each table and of each entry, as far as it begins one; `dot` parts the names of a key."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, row in enumerate(text.split("\n"), 1):
        if head := _HEAD.match(row):
            table = _parts(head["table"], dot)
            found.setdefault(table, number)
        elif entry := _ENTRY.match(row):
            key = entry["key"] if dot else entry["key"].lower()
            found.setdefault((*table, *_parts(key, dot)), number)
    return found


def _parts(name: str, dot: str | None) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in (name.split(dot) if dot else [name]))


def _with_lines(value: Any, lines: Mapping[tuple[str, ...], int], path: tuple[str, ...]) -> ast.expr:
    """What a reader without lines gave, each value at the line of the nearest key above it."""
    line = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), 1)
    if isinstance(value, dict):
        keys: Sequence[ast.expr] = [_at(ast.Constant(key), lines.get((*path, key), line)) for key in value]
        return _at(ast.Dict(list(keys), [_with_lines(v, lines, (*path, k)) for k, v in value.items()]), line)
    if isinstance(value, list):
        return _at(ast.List([_with_lines(item, lines, path) for item in value], ast.Load()), line)
    return _literal(value, line)


def _literal(value: Any, line: int) -> ast.expr:
    if value is not None and not isinstance(value, str | int | float | bool):
        value = str(value)  # a date: no size
    return _at(ast.Constant(value), line)


def _at(node: ast.expr, line: int) -> ast.expr:
    node.lineno = node.end_lineno = line
    node.col_offset = node.end_col_offset = 0
    return node
