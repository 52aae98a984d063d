"""What an error message names: nodes, op, device; and its text without the noise around it.

References: tensorflow/core/framework/op_kernel.cc and graph_def_util (`{{node x}}`),
tensorflow/core/platform/errors.h
(`FormatNodeNameForError`), tensorflow/python/framework/errors_impl.py and error_interpolation.py (`Detected at node`,
`defined at`, `Original stack trace`), tensorflow/compiler/tf2xla/xla_compiler.cc (`tf2xla conversion failed
while converting`).
"""

from __future__ import annotations

import re

from xladoctor.logs.frames import is_user
from xladoctor.model.evidence import Frame
from xladoctor.patterns import pattern

# Any blank, since a mail program may have broken the line there.
_BRACED = pattern(r"\{\{node\s{1,4}([^\s{}]{1,500})\}\}")
_NODE_DEF = pattern(r"\{\{node\s{1,4}([^\s{}]{1,500})\}\}\s{1,4}=\s{1,4}(\w{1,100})\[")
_OLD_REFERENCE = pattern(r"^(?:Node: |node )([^\s(=]{1,500})")
_DETECTED = pattern(r"^Detected at node\s{1,4}['\"]?([^\s'\"]{1,500})['\"]?\s{1,4}defined at", re.MULTILINE)
_DETECTED_LINE = pattern(r"^Detected at node .{1,500}$\n?|^Node: '[^'\n]{1,500}'$\n?", re.MULTILINE)
_WITH_OP = pattern(r"(?:[Ii]nput \d+ to (?:node|op))?\s?[`']([^`'\s]{1,500})[`']\s{1,4}with\s{1,4}op\s{1,4}(\w{1,100})")
# The form of shape inference up to TensorFlow 1.14, and of op_def_library.py.
_OLD_INFERENCE = pattern(r" for '([^'\s]{1,500})' \(op: '(\w{1,100})'\)")
_TYPED = pattern(r" of '(\w{1,100})' Op ha(?:s|ve) type")
_OP_TAIL = pattern(r"\[Op:(\w{1,300})\]")
_HLO_NAME = pattern(r'op_type="(\w{1,100})"\s{1,4}op_name="([^"]{1,500})"')
_OLD_OP = pattern(r"\[\[\s?(?:Node: )?[^\s=\]]{1,500} = (\w{1,100})\[")
_DEVICE = pattern(
    r"(/job:[\w.-]{1,60}/replica:\d{1,6}/task:\d{1,6}/device:\w{1,20}:\d{1,4}|XLA_(?:CPU|"
    r"GPU|TPU)_JIT|/device:[A-Z]{3}:\d{1,4})"
)
_WRAPPED = pattern(r"\{\{function_node [^{}]{1,500}\}\} ?")
_VARIADIC = pattern(r"_(?:N|num\w{0,20})_\d{1,6}$")
_WRAPPED_OP = pattern(r"\{\{function_node __wrapped__(\w{1,100})_device_")
_NAMING = (
    (_HLO_NAME, 1),
    (_NODE_DEF, 2),
    (_WITH_OP, 2),
    (_OLD_OP, 1),
    (_OLD_INFERENCE, 2),
    (_TYPED, 1),
    (_WRAPPED_OP, 1),
)
_DEFINED_AT = pattern(r"\(defined at ([^\s()]{1,500}):(\d{1,9})\)")
_SECOND_ROOT = pattern(r"^[^\S\n]*\(1\) ", re.MULTILINE)


def first_root(text: str) -> str:
    """The part of a message that speaks of its first root error (TensorFlow lists several as (0), (1), ...)."""
    found = _SECOND_ROOT.search(text) if "(1) " in text and "(0) " in text else None
    return text[: found.start()] if found else text


def nodes(text: str) -> tuple[str, ...]:
    """Node names in the order of the message: innermost first, true call site last."""
    hlo = _HLO_NAME.search(text)
    names = [hlo[2]] if hlo else []
    first = text.find("[[")
    names += [braced[1] for braced in _BRACED.finditer(text, 0, first if first >= 0 else len(text))]
    names += [name for inside in _references(text) if (name := _reference(inside))]
    if not names:
        for naming in (_WITH_OP, _OLD_INFERENCE, _DETECTED):
            found = naming.search(text)
            if found:
                return (found[1],)
    return tuple(dict.fromkeys(names))


def _references(text: str) -> list[str]:
    """What stands between `[[` and `]]`, in order."""
    found: list[str] = []
    start = text.find("[[")
    for _ in range(200):
        if start < 0 or len(found) >= 40:
            break
        end = text.find("]]", start + 2, start + 1000)
        if end >= 0:
            found.append(text[start + 2 : end].rpartition("[[")[2])
        start = text.find("[[", (end if end >= 0 else start) + 2)
    return found


def _reference(inside: str) -> str | None:
    inside = inside.strip()
    braced = _BRACED.search(inside)
    if braced:
        return braced[1]
    old = _OLD_REFERENCE.match(inside)
    if old:
        return old[1]
    bare = re.match(r"^\^?([A-Za-z.][^\s(=]{0,500})", inside)
    return bare[1] if bare and not inside.startswith("function_node") else None


def defined_at(text: str) -> list[Frame]:
    """Where the program made the nodes, as TensorFlow 1 writes it beside them: `[[node x (defined at f.py:12) ]]`."""
    found = [Frame(file, int(line), None, user=is_user(file)) for file, line in _DEFINED_AT.findall(text)]
    return list(reversed(found))


def op(text: str) -> str | None:
    """The op type where the message names it, else the tail `[Op:...]`."""
    tail = _OP_TAIL.search(text)
    if tail and not tail[1].startswith("__"):
        return tail[1]
    for naming, group in _NAMING:
        # Most messages have no such words, and the pattern begins with what many have.
        found = naming.search(text) if naming is not _WITH_OP or "with" in text else None
        if found:
            return _VARIADIC.sub("", found[group])
    return tail[1] if tail else None


def device(text: str) -> str | None:
    """The device as the message names it."""
    found = _DEVICE.search(text)
    return found[1] if found else None


def tidy(lines: list[str]) -> str:
    """The message without `{{function_node ...}}` in front and without blank lines at its ends or in a row."""
    text = _WRAPPED.sub("", "\n".join(lines)).strip()
    text = re.sub(r"^[^\S\n]*(?:Graph execution error|in user code):\s*", "", text, flags=re.MULTILINE)
    text = _DETECTED_LINE.sub("", text).strip()
    return re.sub(r"\n\s*\n(?:\s*\n)+", "\n\n", text)
