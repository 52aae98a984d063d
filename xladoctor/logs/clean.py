"""From raw lines to the text that the program printed.

Undone here: ANSI codes, progress bars with carriage returns, notebook HTML, newlines escaped by gRPC or JSON,
prefixes
(`# `, `> `, timestamps, ranks, loggers, pytest's `E   `), hard wrapping. The severity prefix of TensorFlow's
own C++ lines is
kept: it says what the line is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from xladoctor.logs.kinds import Kind, Kinds
from xladoctor.logs.margins import may_follow_prefix, shared_prefix
from xladoctor.patterns import pattern


class Clean(NamedTuple):
    """One cleaned line, where it stood, and who said it."""

    number: int
    text: str
    stream: str | None = None


_ANSI = pattern(
    r"(?:\x1b\[|\x9b)[0-?]{0,32}[ -/]{0,4}[@-~]|\x1b[\]_P^X][^\x07\x1b]{0,500}(?:\x07|\x1b\\)?|"
    r"\x1b[@-Z\\-_]?"
)
# What is left of a colour code when its escape byte was lost in copying.
_BARE_ANSI = pattern(r"\ufffd?\[(?:\d{0,2}(?:;\d{1,3}){1,4}|0|1|3[0-7]|39|9[0-7])m")
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_TAG = pattern(
    r"</?(?:span|div|pre|code|br|p|b|i|em|strong|font|a|td|tr|table|tbody|li|ul|ol|h\d|"
    r"mark|html|body)(?:\s[^<>]{0,300})?/?>"
)
# Tags that end a line: what stands before and behind them is not one word.
_LINE_ENDS = pattern(r"<br\s?/?>|</(?:div|p|pre|tr|li|ul|ol|table|h\d)>(?=[^\n])")
_ENTITY = pattern(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,6});")
_JSON_FIELD = pattern(
    r'"(?:log|message|msg|event|text|textPayload|line|content|output|error)"\s*:\s*"((?:[^"\\]|\\.){0,60000})"'
)
# Where loggers that write JSON put the traceback, besides the message.
_JSON_TRACE = pattern(
    r'"(?:exc_info|exc_text|exception|traceback|stack|stack_?trace|stack_info)"\s*:\s*"((?:[^"\\]|\\.){0,60000})"'
)
_JSON_ITEM = pattern(r'^\s*"((?:[^"\\]|\\.){0,60000})",?\s*$')
# A whole text as `repr` gives it, alone on its line.
_LITERAL = pattern(r"""^\s*[bru]?(['"])((?:[^\\]|\\.){40,60000})\1[,)\]}]?\s*$""")
_ESCAPE = pattern(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
# In the file name of a frame, `\n` and `\t` begin the name of a folder.
_WINDOWS_PATH = pattern(r'(?<=")[A-Za-z]:\\[^"*?<>|]{1,500}(?="|\\")')
_ESCAPED = pattern(rf"{_WINDOWS_PATH.pattern}|\\{{1,2}}(?:r\\{{1,2}})?([ntr\"'])")
_FRAME_ON_A_LINE = pattern(r' {1,8}(File "[^"]{1,500}", line \d{1,9}, in \S{1,200}) ')
_ERROR_ON_A_LINE = pattern(r" (?=(?:[a-z_]\w{0,60}\.){0,12}[A-Z]\w{0,60}(?:Error|Exception): )")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "\\": "\\", "/": "/", "e": "\x1b"}

CPP = pattern(
    r"^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.:]\d{1,9}: ?([IWEF]) |([IWEF])\d{4} "
    r"\d\d:\d\d:[\d.:]{1,24}\s{1,9}\d{1,10} )"
    r"([\w./+-]{1,300}):(\d{1,7})\] ?"
)

_PREFIX = pattern(
    r"""(?:
      \#\#\[error\]|::error::|\'{3}|"{3}|\#(?:[\ \t]|$)|(?://|[%;])(?:\ |$)|(?:>\ ?){1,4}|[|│]\ ?
    | \[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:\ ?(?:Z|[+-]\d\d:?\d\d|UTC))?\]?:?(?:\ [-|]\ )?\ ?
    | \d\d/\d\d/\d\d\ \d\d:\d\d:\d\d\ (?:ERROR|FATAL|WARN|INFO)\ [\w.$]{1,99}:\ ?
    | [\w.]{1,60}\ -\ (?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\ -\ ?
    | [IWEF]\d{4}\ \d\d:\d\d:[\d.:]{1,24}\s{1,9}\d{1,10}\ [\w./+-]{1,300}\.(?:py|go):\d{1,7}\]\ ?
    | \[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?:?\ ?
    | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d\ \S{1,80}\ \S{1,80}:\ ?
    | (?:\|\ *)?(?:TRACE|DEBUG|INFO|WARNING|ERROR|CRITICAL)\ *\|\ [\w.<>]{1,99}:[\w<>]{1,99}:\d{1,7}\ -\ ?
    | (?:ERROR|CRITICAL|FATAL):[\w.]{1,99}:\ ?
    | \[(?:ERROR|CRITICAL|stderr|stdout)\]:?\ ?|std(?:err|out):\ ?
    | E\ {2,3}(?=\S|\t|\ )
    | (?P<a>\[(?:rank|RANK|default|worker|node|host|task|pid|proc|process)[-_\
    ]?:?\d{1,6}\](?:<std(?:err|out)>)?):?\ ?
    | (?P<b>\[\d{1,5}(?:[,:]\d{1,5})?\](?:<std(?:err|out)>:|:))\ ?
    | (?P<c>\d{1,4}):\ (?=\S|\s|$)
    | (?P<d>\([\w.:-]{0,60}\ ?pid=\d{1,9}(?:,\ ip=[\d.]{7,15})?\))\ ?
    | (?P<e>[A-Za-z][\w.-]{0,60})\ {1,12}\|\ ?
    )""",
    re.VERBOSE,
)
# A margin of line numbers, as an editor or `cat -n | ...` shows it.
_NUMBERED = pattern(r"^ {0,5}\d{1,5} [|│] ?")
# Job and step before the time, as `gh run view --log` prints them.
_STEP = pattern(r"^[^\t]{1,80}\t[^\t]{1,80}\t(?=\d{4}-\d\d-\d\dT)")
_MAYBE_PREFIX = frozenset("#>/|│[(0123456789ESDTICWF:%;'\"") | frozenset("abcdefghijklmnopqrstuvwxyz")
_STARTS = pattern(
    r'^(?:\s(?=\s|\[\[|[│|+]|$)|\t|[│╭╰]|Traceback|File "|[\w.]{1,200}(?:Error|Exception)\b|[IWEF]\d{4} |'
    r"\d{4}-\d\d-\d\d|Detected at|Stack trace|Epoch \d|$)"
)
_TERMINALS = frozenset({72, 79, 80, 100, 120, 132, 160})
_NUMBERS = pattern(r"\d+")
_KEEP = ("rror", "raceback", "xception", "failed", 'File "', "[[", "illed", "fault", "nan")


def clean_lines(lines: Iterable[tuple[int, bytes]]) -> list[Clean]:
    """The cleaned lines of one region, unwrapped, with line numbers of the log."""
    pieces = [(number, piece) for number, line in lines for piece in _pieces(line)]
    raw = pieces if _has_prefixes_below([piece for _, piece in pieces]) else _unwrap(pieces)
    done = [Clean(number, *_strip_prefixes(text)) for number, text in raw]
    if shared := shared_prefix([line.text for line in done if not CPP.match(line.text)]):
        done = [_without(shared, line) for line in done]
    if not any(line.stream for line in done):
        done = [Clean(number, text) for number, text in _unwrap([(line.number, line.text) for line in done])]
    margin = min((len(line.text) - len(line.text.lstrip()) for line in done if line.text), default=0)
    return [_at_margin(line, margin) if line.text[:1] == " " or margin else line for line in done]


def clean_by_kind(lines: Sequence[tuple[int, bytes]]) -> list[Kind | list[Clean]] | None:
    """The same, line by line: the kind of each, or where it has none the cleaned lines in it. None where the lines of a
    region change each other: a terminal may have broken them, they may share a prefix, or all are indented.
    """
    kinds = KINDS.of_all([line for _, line in lines])
    known = [kind for kind in kinds if kind is not None]
    if any(map(attrgetter("prefixed"), known)):
        return None
    raw, clean = [kind.length for kind in known], [kind.stop - kind.start for kind in known]
    flush = any(map(attrgetter("flush"), known))
    streams = False
    found: list[Kind | list[Clean]] = []
    for kind, (number, line) in zip(kinds, lines, strict=True):
        if kind is not None:
            found.append(kind)
            continue
        pieces = list(_pieces(line))
        bare = [Clean(number, *_strip_prefixes(piece)) for piece in pieces]
        flush = flush or any(_is_flush(each.text) for each in bare)
        if any(may_follow_prefix(each.text) and not CPP.match(each.text) for each in bare):
            return None
        found.append([_at_margin(each, 0) if each.text[:1] == " " else each for each in bare])
        raw += map(len, pieces)
        clean += [len(each.text) for each in bare]
        streams = streams or any(each.stream for each in bare)
    if not flush or _is_broken(lines, raw, bare=False) or (not streams and _is_broken(lines, clean, bare=True)):
        return None
    return found


def _is_broken(lines: Sequence[tuple[int, bytes]], lengths: Sequence[int], *, bare: bool) -> bool:
    """Whether a terminal broke the lines, as they stand or `bare` of their prefixes."""
    if not wraps_at(lengths)[0]:
        return False
    texts = [piece for _, line in lines for piece in _pieces(line)]
    return bool(_wrap_width([_strip_prefixes(text)[0] for text in texts] if bare else texts))


def _is_flush(text: str) -> bool:
    return bool(text) and not text[:1].isspace()


def _without(prefix: re.Pattern[str], line: Clean) -> Clean:
    """A line without the prefix that its neighbours have, too, and without those behind it."""
    found = prefix.match(line.text)
    if not found or not found.end():
        return line
    text, stream = _strip_prefixes(line.text[found.end() :])
    return Clean(line.number, text, line.stream or stream)


def _at_margin(line: Clean, margin: int) -> Clean:
    """A line without the margin of all. One of the C++ runtime has none, also where only it was indented (quoted below
    other text).
    """
    text = line.text[margin:]
    bare = text.lstrip(" ")
    text = bare if bare != text and CPP.match(bare) else text
    return line if text == line.text else Clean(line.number, text, line.stream)


def _pieces(raw: bytes) -> Iterator[str]:
    """The lines that one raw line holds, without codes, redraws, escapes and tags."""
    text = raw.decode("utf-8", "replace")
    if "\\" in text or (text.startswith("{") and '": "' in text):
        text = _unescape(text)
    if "most recent call last): " in text and 'File "' in text:
        text = _spread(text)
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", text)
    if "m" in text and "[" in text:
        text = _BARE_ANSI.sub("", text)
    if "<" in text or "&" in text:
        if "<br" in text or "</" in text:
            text = _LINE_ENDS.sub("\n", text)
        text = _TAG.sub("", text)
        if _ENTITY.search(text):
            from html import unescape

            text = unescape(text)
    if "\r" in text or "\x08" in text or "\n" in text:
        parts = [p for p in re.split(r"[\r\n]+|\x08+", text) if p.strip()]
        if len(parts) > 8 and "\n" not in text:
            parts = [p for p in parts[:-1] if any(k in p for k in _KEEP)] + parts[-1:]
        yield from (_CONTROL.sub("", part) for part in parts or [""])
    else:
        yield _CONTROL.sub("", text)


def _unescape(text: str) -> str:
    """Give back the newlines that JSON, a notebook file or a gRPC status escaped; other text stays as it is."""
    bare = text.strip()
    found = _JSON_FIELD.search(bare) if bare.startswith("{") else _JSON_ITEM.match(bare)
    trace = _JSON_TRACE.search(bare) if bare.startswith("{") else None
    if found or trace:
        return "\n".join(_ESCAPE.sub(_escaped, part[1]).rstrip("\n") for part in (found, trace) if part)
    literal = _LITERAL.match(text)
    if literal and literal[2].count("\\n") >= 2:
        return _ESCAPE.sub(_escaped, literal[2]).rstrip("\n")
    text = text.replace('details = "', 'details = "\n').replace("details = '", "details = '\n")
    rest = _WINDOWS_PATH.sub("", text) if ":\\" in text else text
    if rest.count("\\n") >= 2 or ("\\n" in rest and ("[[" in rest or "\\t" in rest or "rror" in rest)):
        return _ESCAPED.sub(lambda m: _PLAIN_ESCAPES[m[1]] if m[1] else m[0], text)
    return text


def _spread(text: str) -> str:
    """Give back the lines of a traceback that stands on one line, as search results and chats show it."""
    text = _FRAME_ON_A_LINE.sub(r"\n\1\n    ", text)
    return _ERROR_ON_A_LINE.sub("\n", text)


def _escaped(found: re.Match[str]) -> str:
    if found[3]:
        return _PLAIN_ESCAPES.get(found[3], found[0])
    return chr(int(found[1] or found[2], 16)).encode("utf-8", "replace").decode()


def _strip_prefixes(text: str) -> tuple[str, str | None]:
    """A line without its prefixes, and the stream (rank, process) that a prefix names."""
    stream = None
    margin = _NUMBERED.match(text) if "|" in text[:12] or "│" in text[:12] else None
    margin = margin or (_STEP.match(text) if "\t" in text[1:170] else None)
    if margin:
        text = text[margin.end() :]
    for _ in range(6):
        if not text or text[0] not in _MAYBE_PREFIX:
            break
        cpp = CPP.match(text)
        if cpp and not cpp[3].endswith((".py", ".go")):  # Python's own logging prints its records so too
            break
        found = _PREFIX.match(text)
        if not found or not found.end():
            break
        stream = stream or next((g.strip("[]():") for g in found.groups() if g), None)
        text = text[found.end() :]
    return text.rstrip(), stream


def _unwrap(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Join the lines that a terminal of fixed width cut, where the lengths show that one did."""
    width = _wrap_width([text for _, text in lines])
    if not width:
        return lines
    joined: list[tuple[int, str]] = []
    open_ = False
    sure = len({_NUMBERS.sub("", text) for _, text in lines if len(text) == width}) >= 2
    for number, text in lines:
        goes_on = open_ and joined and not _STARTS.match(text) and len(joined[-1][1]) < 20_000
        if goes_on and (sure or _is_open(joined[-1][1], text)):
            joined[-1] = (joined[-1][0], joined[-1][1] + text)
        else:
            joined.append((number, text))
        open_ = len(text) == width
    return joined


def _has_prefixes_below(lines: list[str]) -> bool:
    """Whether lines were cut first and then got their prefixes: what a full line goes on with begins as other lines do.
    Cut afterwards, only the first part of a line has the prefix.
    """
    width = _wrap_width(lines)
    below = [(line, after) for line, after in pairwise(lines) if len(line) == width] if width else []
    below = [(line, after) for line, after in below if after.strip()]
    alike = sum(
        _strip_prefixes(after)[0] != after.rstrip()
        or _NUMBERS.sub("", line[:12])[:6] == _NUMBERS.sub("", after[:12])[:6]
        for line, after in below
    )
    return bool(below) and alike * 10 >= 9 * len(below)


def _is_open(text: str, after: str) -> bool:
    """Whether a single line that is as wide as a terminal was cut: something in it is not closed, or its end and the
    next line are no two words.
    """
    closed = all(text.count(a) <= text.count(b) for a, b in ("[]", "()", "{}")) and text.count('"') % 2 == 0
    return not closed or not (text[-1:].isalpha() and after[:1].isalpha())


def wraps_at(lengths: Sequence[int]) -> tuple[int, int]:
    """The width at which lines of these lengths could have been cut, and how many lines must end there."""
    width = max(lengths, default=0)
    enough = 1 if len(lengths) <= 30 and width in _TERMINALS else 3
    return (0, enough) if width < 40 or lengths.count(width) < enough else (width, enough)


def _wrap_width(lines: list[str]) -> int:
    """The width at which lines were cut, or 0: many different lines end there, none goes beyond, most go on below."""
    width, enough = wraps_at([len(line) for line in lines])
    if not width:
        return 0
    full = [i for i, line in enumerate(lines[:-1]) if len(line) == width]
    if len({_NUMBERS.sub("", lines[i]) for i in full}) < enough:  # one sentence again and again has one length
        return 0
    going_on = sum(not _STARTS.match(lines[i + 1]) for i in full)
    ragged = sum(width - 25 <= len(line) < width and not _STARTS.match(after) for line, after in pairwise(lines))
    # Broken at words (by a mail program), lines end near the width; cut by a terminal, they end at it.
    return width if going_on * 10 >= 6 * len(full) and ragged <= going_on else 0


def _of_kind(text: str) -> Kind | None:
    """How a line is cleaned, and every other that differs from it in digits only; None where that is not known: codes,
    redraws and escapes are no single line, and a stream has a number.
    """
    if "\\" in text or "&" in text or _BARE_ANSI_LIKE.search(text) or list(_pieces(text.encode())) != [text]:
        return None
    clean, stream = _strip_prefixes(text)
    stop = len(text.rstrip())
    indented = clean[:1] == " " and CPP.match(clean.lstrip(" ")) is not None
    if stream or indented or not text[:stop].endswith(clean):
        return None
    cpp = CPP.match(clean) is not None
    prefixed = not cpp and may_follow_prefix(clean)
    return Kind(stop - len(clean), stop, len(text), clean, cpp, prefixed, _is_flush(clean))


_BARE_ANSI_LIKE = pattern(r"\[[\d;]{1,9}m")
KINDS = Kinds(_of_kind)
