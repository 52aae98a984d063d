"""Options that a program asks for by another name than it has them, or whose text it takes for true."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.sources.names import dotted, keyword, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip, assigns, key_of

_SETTINGS = re.compile(
    r"(?:^|_)(?:c|cf|cfg|conf|config\w*|hp|hparams?|hyper\w*|opts?|options?|params?|settings?)$", re.I
)
_LIKE = 0.8
_FALSE = frozenset({"false", "no", "off", "0", "none"})
_SAME = ({"lr", "learning_rate", "rate"}, {"bs", "batch", "batch_size"}, {"epochs", "n_epochs", "num_epochs"},
         {"wd", "weight_decay"}, {"seed", "random_seed"}, {"dropout", "dropout_rate", "drop_rate"})  # fmt: skip


def options(trees: Mapping[str, ast.Module], words: Sequence[str]) -> Iterator[tuple[str, Slip]]:
    """(file, slip) for each."""
    for file, tree in trees.items():
        for slip in (*_texts_for_true(tree, words), *_variables_for_true(tree)):
            yield file, slip
    for file, slip in _never_asked(trees, words):
        yield file, slip
    yield from _other_names(trees)


def _texts_for_true(tree: ast.Module, words: Sequence[str]) -> Iterator[Slip]:
    """`type=bool` of an option that was given a text which should be false."""
    inner = [
        c.value
        for n in nodes_of(tree, ast.Call)
        if last_name(n.func) in ("parse_args", "parse_known_args") and n.args
        for c in getattr(n.args[0], "elts", ())
        if isinstance(c, ast.Constant) and isinstance(c.value, str)
    ]
    said = _given([*words, *inner])
    for node in walk(tree):
        if not (isinstance(node, ast.Call) and last_name(node.func) == "add_argument"):
            continue
        kind = keyword(node, "type")
        names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        told = next(((n, said[n]) for n in names if n in said), None)
        if isinstance(kind, ast.Name) and kind.id == "bool" and told is not None:
            name, text = told
            if text.lower() in _FALSE:
                yield Slip(
                    "text-for-true",
                    node.lineno,
                    f"`{name} {text}` is True",
                    f"`type=bool` asks whether the text is empty, and {text!r} is not. Every value of `{name}` but an "
                    "empty one is True.",
                )


def _variables_for_true(tree: ast.Module) -> Iterator[Slip]:
    """`if os.environ.get("AUGMENT", "0"):`, also by a name, and `bool(...)` of it."""
    named = {t.id: v for t, v, _ in assigns(tree) if isinstance(t, ast.Name) and _false(v) is not None}
    for node in walk(tree):
        tests: list[ast.expr] = []
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            tests = [node.test]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool":
            tests = node.args[:1]
        tests = [t.operand if isinstance(t, ast.UnaryOp) and isinstance(t.op, ast.Not) else t for t in tests]
        for test in tests:
            value = named.get(test.id) if isinstance(test, ast.Name) else test
            text = _false(value) if value is not None else None
            if text is not None and value is not None:
                yield Slip(
                    "text-for-true",
                    value.lineno,
                    f"`{ast.unparse(value)}` is true, as every text that is not empty",
                    f"Line {test.lineno} asks whether the text is empty, and {text!r} is not.",
                )


def _false(node: ast.AST) -> str | None:
    """The text of the default of an environment variable, where it should be false."""
    if not (isinstance(node, ast.Call) and last_name(node.func) in ("get", "getenv") and len(node.args) == 2):
        return None
    place, default = key_of(node), node.args[1]
    text = default.value if isinstance(default, ast.Constant) and isinstance(default.value, str) else None
    return text if place is not None and place[0] == "os.environ" and (text or "").lower() in _FALSE else None


def _never_asked(trees: Mapping[str, ast.Module], words: Sequence[str]) -> Iterator[tuple[str, Slip]]:
    """Options that the command gives, and that nothing in the program reads."""
    said = _given(words)
    asked = {w for tree in trees.values() for w in _reads(tree)}
    for file, tree in trees.items():
        whole = {"vars", "asdict", "__dict__", "_get_kwargs"}
        if any(last_name(n) in whole for n in walk(tree)) or _handed_on(tree):
            return
        for node in walk(tree):
            if not (isinstance(node, ast.Call) and last_name(node.func) == "add_argument") or keyword(node, "action"):
                continue
            names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            given = next((n for n in names if n in said), None)
            long = next((n for n in names if n.startswith("--")), None)
            dest = keyword(node, "dest")
            name = str(dest.value) if isinstance(dest, ast.Constant) else (long or "").lstrip("-").replace("-", "_")
            if given is not None and name and name not in asked:
                yield (
                    file,
                    Slip(
                        "never-asked",
                        node.lineno,
                        f"`{given}` has no effect: nothing reads `{name}`",
                        f"The command gives `{given} {said[given]}`, and no line of the program reads it.",
                    ),
                )


def _reads(tree: ast.Module) -> Iterator[str]:
    """All attributes that are read, and all texts but those of the options themselves."""
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _handed_on(tree: ast.Module) -> bool:
    """Whether what `parse_args` gave goes whole to somewhere else."""
    names = {
        n.id
        for t, v, _ in assigns(tree)
        if isinstance(v, ast.Call) and last_name(v.func) in ("parse_args", "parse_known_args")
        for n in nodes_of(t, ast.Name)
    }
    read = {id(n.value) for n in nodes_of(tree, ast.Attribute)}
    return not names or any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in names and id(n) not in read
        for n in walk(tree)
    )


def _given(words: Sequence[str]) -> dict[str, str]:
    """{option: the word after it, or after its =}."""
    found: dict[str, str] = {}
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            found[name] = value if equals else after
    return found


def _other_names(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """`config.get("dropout", 0.0)` where the settings have a `dropout_rate` that nothing reads."""
    kept: dict[str, int] = {}
    for tree in trees.values():
        for key in _kept(tree):
            kept[key] = kept.get(key, 0) + 1
    words: dict[str, int] = {}
    for tree in trees.values():
        for word in _words(tree):
            words[word] = words.get(word, 0) + 1
    idle = [key for key, times in kept.items() if words.get(key, 0) <= times]
    if not idle:
        return
    for file, tree in trees.items():
        for node in walk(tree):
            if not (isinstance(node, ast.Call) and last_name(node.func) == "get" and len(node.args) == 2):
                continue
            place = key_of(node)
            if place is None or place[1] in kept or not _SETTINGS.search(place[0].rpartition(".")[2]):
                continue
            like = meant(place[1], idle)
            if like is not None and words.get(place[1], 0) == 1:
                yield (
                    file,
                    Slip(
                        "other-key",
                        node.lineno,
                        f"`{place[0]}` has no `{place[1]}`: it has `{like}`, which nothing reads",
                        f"`get` gives the default, `{ast.unparse(node.args[1])}`, for a key that is not there. The "
                        f"settings of this program have `{like}`, and no line reads it.",
                    ),
                )


def meant(asked: str, idle: Sequence[str]) -> str | None:
    """The key that was meant."""
    for key in idle:
        parts = {asked.lower(), key.lower()}
        if any(parts <= same for same in _SAME):
            return key
        short, long = sorted((asked, key), key=len)
        if len(short) > 2 and f"_{short}_" in f"_{long}_":
            return key
    like = difflib.get_close_matches(asked, idle, 1, _LIKE)
    return like[0] if like else None


def _kept(tree: ast.Module) -> Iterator[str]:
    """The keys of dicts that a name of settings holds, those within them too."""
    for node in nodes_of(tree, ast.Assign):
        if isinstance(node.value, ast.Dict):
            named = any(_SETTINGS.search((dotted(t) or "").rpartition(".")[2]) for t in node.targets)
            if named:
                for inner in nodes_of(node.value, ast.Dict):
                    yield from (k.value for k in inner.keys if isinstance(k, ast.Constant) and isinstance(k.value, str))


def _words(tree: ast.Module) -> Iterator[str]:
    """All texts, attributes and keywords of a program."""
    for node in walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.arg | ast.keyword):
            yield node.arg or ""
