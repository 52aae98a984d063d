"""Secrets in a text that is no command line: code, JSON, YAML, headers, connection strings, prose.

A word that is usual in names of secrets is looked for first; then the whole name, the sign behind it and the value are
read by hand, each within bounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import names
from .forms import Span
from .lazy import pattern
from .values import is_plain, is_random, is_reference, login_part, secret_part

_HINT = pattern(
    r"(?i)pass|pwd|pw|secret|token|cred|auth|key|cookie|jwt|dsn|otp|sig|sess|login|user|psk|bearer|pat|sas|sid|salt|nonce|"
    r"pin|code|mnemonic|licen|account|proxy|conn|webhook"
)
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_LONGEST_NAME = 64
_LONGEST_VALUE = 16_000
_LONGEST_BARE = 4_000
_SIGN = pattern(
    r"(?P<close>\\{0,4}[\"'])?\]?\)?[ \t]{0,8}"
    r"(?P<sign>:[ \t]{0,4}(?:str|bytes|SecretStr|Optional\[str\]|str \| None|AnyStr|Any)[ \t]{0,4}=(?!=)"
    r"|===?|=>|:=|=(?!=)|::?(?!:)|%3[dD]|,(?=[ \t]{0,8}\\{0,4}[\"']))[ \t]{0,8}"
)
_OPTION_GAP = pattern(r"[ \t]{1,4}(?=[^\s|&;<>-])")
_QUOTED_GAP = pattern(r"(?i)[ \t]{1,4}(?:by[ \t]{1,4}|is[ \t]{1,4}|to[ \t]{1,4})?(?=['\"][^\s'\"])")
_OPEN = pattern(r"(?:[rbfuRBFU]{1,2}(?=['\"]))?(?P<mark>\\{0,4}(?:\"\"\"|'''|[\"'`]))")
_SCHEME = pattern(
    r"(?i)(?:bearer|basic|token|digest|apikey|api-key|key|negotiate|ntlm|aws4-hmac-sha256)[ \t]{1,4}(?=\S)"
)
_NEXT_PAIR = pattern(r"[ \t]{0,4}\\{0,4}[\"']?[\w.-]{1,40}\\{0,4}[\"']?[ \t]{0,2}[=:]")
_CODE = pattern(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,6}")
_ROOTS = names.among(
    "self cls args opt opts options os config cfg conf settings params env environ ctx request kwargs tf np jax "
    "keras parser data user obj model st this secrets getpass"
)
_TUPLE = pattern(r"\([ \t]{0,4}([rbf]?(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'))[ \t]{0,4},[ \t]{0,4}[rbf]?([\"'])")
_CALL = pattern(
    r"(?<![\w])(?:[\w.]{1,64}\.)?(login|authenticate|HTTPBasicAuth|HTTPDigestAuth|BasicAuth|HTTPProxyAuth|SecretStr|"
    r"set_?(?:token|password|api_?key|secret|access_token)|(?:use|with)_?(?:token|password|api_?key)|connect|FTP|FTP_TLS|SMTP|IMAP4)\("
)
_ARGUMENT = pattern(r"[ \t]{0,8}(?:[rbf]?(?P<mark>\\{0,4}[\"'])|[\w.\[\]]{1,64}[ \t]{0,4}(?=[,)]))")
_LAST_ONLY_OF_TWO = frozenset(("connect", "FTP", "FTP_TLS", "SMTP", "IMAP4"))
_NETRC = pattern(r"\blogin[ \t\n]{1,4}\S{1,200}[ \t\n]{1,4}password[ \t\n]{1,4}(\S{1,400})")
_XML = pattern(r"<([A-Za-z][\w.:-]{0,63})>([^<>\s]{1,4000})</")
_PIPED = pattern(
    r"\becho[ \t]{1,4}(?:-n[ \t]{1,4})?[\"']?([^\s\"'|]{3,400})[\"']?[ \t]{0,4}\|"
    r"[^|\n]{0,200}(?:--password-stdin|--with-token|sudo[ \t]{1,4}-S)"
)
_REST = pattern(r"[^\n\r'\"]{1,4000}")
_BARE = pattern(r"[^\s\"'`<\\,;&|(\[{)\]}>]{1,4000}")
_COMMA = pattern(r"[ \t]{0,8},")
_WORD = pattern(r"[^\s\"'`]{0,4000}(?<![,;])")
_SHORTEST = 3
_WORDY = pattern(r"\w")
_AFTER_A_QUOTE = ("", " ", ",", ")", "]", "}", ";", ".", ":", "\n", "\r")
_LINE_START = pattern(r"[ \t]{0,80}(?:[-+>][ \t]{1,4})?(?:export[ \t]{1,4})?$")


def spans(text: str) -> Iterator[Span]:
    """Where values stand that their names, or their functions, make secrets."""
    done = 0
    for hint in _HINT.finditer(text):
        if hint.start() < done:
            continue
        left, right = _name_at(text, hint.start(), hint.end(), done)
        done = right
        value = _after(text, left, right)
        if value is not None:
            yield value
            done = max(done, value[1])
    if "(" in text:
        yield from _calls(text)
    if "password" in text:
        yield from (m.span(1) for m in _NETRC.finditer(text))
    if "</" in text:
        yield from (m.span(2) for m in _XML.finditer(text) if secret_part(names.kind(m[1]), m[2], True))
    if "echo" in text:
        yield from (m.span(1) for m in _PIPED.finditer(text) if not is_reference(m[1]))


def _name_at(text: str, start: int, end: int, least: int) -> Span:
    """The whole name around a hint."""
    left, right = start, end
    while left > least and text[left - 1] in _NAME_CHARACTERS and start - left < _LONGEST_NAME:
        left -= 1
    while right < len(text) and text[right] in _NAME_CHARACTERS and right - end < _LONGEST_NAME:
        right += 1
    while right > end and text[right - 1] in ".-":
        right -= 1
    return left, right


def _after(text: str, left: int, right: int) -> Span | None:
    """The secret behind a name."""
    name = text[left:right]
    kind = names.kind(name)
    if kind == names.ORDINARY:
        return None
    option = name.startswith("--")
    sign = _SIGN.match(text, right)
    gap = sign
    if gap is None and option:
        gap = _OPTION_GAP.match(text, right)
    if gap is None and kind == names.CERTAIN:
        gap = _QUOTED_GAP.match(text, right)
    if gap is None:
        return None
    said = sign["sign"] if sign is not None else ""
    if said == "," and sign is not None and sign["close"] is None:
        return None
    closed = sign is not None and sign["close"] is not None
    found = _value(text, left, gap.end(), kind, name, said, option, closed)
    return found if found is not None and found[1] - found[0] >= _SHORTEST and _WORDY.search(text, *found) else None


def _value(text: str, left: int, at: int, kind: int, name: str, sign: str, given: bool, closed: bool) -> Span | None:
    given = given or closed
    if text.startswith("(", at):
        pair = _TUPLE.match(text, at)
        return None if pair is None or kind < names.LIKELY else _inside(text, pair.end(), pair[2], kind, sign)
    mark = _OPEN.match(text, at)
    if mark is not None:
        if not closed and text[mark.end() : mark.end() + 1] in _AFTER_A_QUOTE:
            return None  # `'Password: '`: it ends what stands before the name
        return _inside(text, mark.end(), mark["mark"], kind, sign)
    if sign in ("==", "==="):
        return None
    if (
        kind >= names.LIKELY
        and sign
        and "cookie" in name.lower()
        and not _is_code(text, name, text[at : _bare_end(text, at)], _bare_end(text, at))
    ):
        return _to_end(text, at)
    scheme = _SCHEME.match(text, at) if kind >= names.LIKELY and "key" not in name.lower() else None
    start = at if scheme is None else scheme.end()
    end = _bare_end(text, start)
    value = text[start:end]
    url = left > 0 and text[left - 1] in "?&"
    if not url and _is_code(text, name, value, end):
        return None
    if sign in ("=", ":") and not given and _begins_line(text, left):
        # Alone on its line, as in YAML: to the end of the word, whatever signs are in it.
        end = max(end, _WORD.match(text, start).end())  # type: ignore[union-attr]
        value = text[start:end]
    tight = bool(sign) and text[at - 1] in "=:"
    set_here = given or url or name.isupper() or (tight and sign == "=") or _ends_line(text, left, end)
    if kind == names.CERTAIN and not set_here and is_plain(value):
        return None
    if kind == names.LIKELY and is_plain(value) and not (given or url or (name.isupper() and "_" in name)):
        return None
    part = secret_part(kind, value, set_here)
    if part is None or (is_plain(value) and _names_a_secret(value)):
        return None
    return start + part[0], start + part[1]


def _inside(text: str, start: int, mark: str, kind: int, sign: str) -> Span | None:
    """The secret in a quoted value."""
    end = _close(text, start, mark)
    value = text[start:end]
    if is_plain(value) and ((kind == names.LIKELY and len(value) < 6) or _names_a_secret(value)):
        return None
    if sign == "," and (kind < names.LIKELY or " " in value or is_plain(value) or value.isupper() or value[:1] == "-"):
        return None  # a list of words
    scheme = _SCHEME.match(text, start, end)
    if scheme is not None and kind >= names.LIKELY and scheme.end() < end:
        start, value = scheme.end(), text[scheme.end() : end]
    part = secret_part(kind, value, True)
    return None if part is None else (start + part[0], start + part[1])


def _close(text: str, start: int, mark: str) -> int:
    """Where a quoted value ends: at the same mark, or at the end of the line where there is none."""
    limit = min(len(text), start + _LONGEST_VALUE)
    at = start
    while True:
        at = text.find(mark, at, limit)
        if at < 0:
            break
        # An escaped quote belongs to the value; `\\"` ends one that began with `\\"`.
        slashes = 0
        while slashes < 8 and at - slashes > start and text[at - slashes - 1] == "\\":
            slashes += 1
        if slashes % 2 == 0 or mark.startswith("\\"):
            return at
        at += 1
    line = text.find("\n", start, limit)
    return limit if line < 0 else line


def _to_end(text: str, start: int) -> Span | None:
    """A header to the end of its line, or of the quotes around it."""
    match = _REST.match(text, start)
    value = match.group() if match is not None else ""
    if not value or is_reference(value) or is_plain(value.partition(" ")[0]):
        return None
    return start, start + len(value)


def _bare_end(text: str, start: int) -> int:
    """Where a value without quotes ends."""
    limit = min(len(text), start + _LONGEST_BARE)
    opened = 0
    at = start
    while at < limit:
        run = _BARE.match(text, at)
        if run is not None:
            at = run.end()
            continue
        c = text[at]
        if c.isspace() or c in "\"'`<\\":
            break
        if c in ",;&|":
            following = text[at + 1 : at + 2]
            if not following or following.isspace() or following in "\"'`)]}" or _NEXT_PAIR.match(text, at + 1):
                break
        elif c in "([{":
            opened += 1
        elif c in ")]}>":
            if not opened:
                break
            opened -= 1
        at += 1
    return at


def _is_code(text: str, name: str, value: str, end: int) -> bool:
    """Whether the value is an expression: `args.password`, `load_secret("db")`, `tokens[i]`, `password`."""
    match = _CODE.match(value)
    if match is None:
        return False
    dotted = match.group()
    rest = value[match.end() :] or text[end : end + 1]
    if rest[:1] in ("(", "["):
        drawn = len(dotted) < 2.5 * len(names.words(dotted))
        return "." in dotted or not (drawn or any(c.isdigit() for c in dotted))
    if match.end() != len(value):
        return False
    root, _, last = dotted.rpartition(".")
    if dotted.lower() == name.lower() or (root and (root.split(".")[0] in _ROOTS or names.kind(last) > 0)):
        return True
    return names.kind(dotted) >= names.RANDOM and not any(c.isdigit() for c in dotted)


def _names_a_secret(value: str) -> bool:
    """Whether a value is a name of a secret itself: `next_token`."""
    return len(names.words(value)) > 1 and names.kind(value) >= names.RANDOM


def _begins_line(text: str, left: int) -> bool:
    return _LINE_START.match(text[max(0, left - 90) : left].rpartition("\n")[2]) is not None


def _ends_line(text: str, left: int, end: int) -> bool:
    """Whether `name: value` is all that its line has, as in YAML."""
    line = text[max(0, left - 90) : left].rpartition("\n")[2]
    return text[end : end + 1] in ("", "\n", "\r", ",", "}") and bool(
        _LINE_START.match(line) or line.rstrip(" ")[-1:] in "{,"
    )


def _calls(text: str) -> Iterator[Span]:
    """The last quoted argument of `login("user", "secret")`."""
    for call in _CALL.finditer(text):
        at, strings = call.end(), []
        for _ in range(4):
            argument = _ARGUMENT.match(text, at)
            if argument is None:
                break
            at = argument.end()
            if argument["mark"]:
                end = _close(text, at, argument["mark"])
                strings.append((at, end))
                at = end + len(argument["mark"])
            comma = _COMMA.match(text, at)
            if comma is None:
                break
            at = comma.end()
        yield from _of_call(text, call[1], strings)


def _of_call(text: str, function: str, strings: list[Span]) -> Iterator[Span]:
    if not strings:
        return
    start, end = strings[-1]
    value = text[start:end]
    if is_reference(value):
        return
    if function in _LAST_ONLY_OF_TWO:
        if len(strings) >= 3 and not value.isdigit():
            yield start, end
    elif len(strings) >= 2 or is_random(value) or function.startswith(("set", "use", "with", "Secret")):
        yield start, end
    else:
        part: tuple[int, int] | None = login_part(value)
        if part is not None:
            yield start + part[0], start + part[1]
