"""What happens to logs between the program and the reader: the same text, made dirty in one way each."""

from __future__ import annotations

import html
import json
import random
import re
import textwrap
from collections.abc import Callable


def ansi(text: str) -> str:
    """Colour codes as terminals and IPython put them: around words, never the same twice."""
    rng = random.Random(1)

    def colour(found: re.Match[str]) -> str:
        return f"\x1b[{rng.choice(['0;31', '1;32', '1', '38;5;208'])}m{found[0]}\x1b[0m"

    return "\n".join(re.sub(r"[A-Za-z]{5,}", colour, line) for line in text.split("\n"))


def lost_escapes(text: str) -> str:
    """Colour codes whose escape byte was lost in copying."""
    return ansi(text).replace("\x1b", "")


def progress(text: str) -> str:
    """A progress bar that redraws itself in front of the error, without a newline of its own."""
    bar = "\r".join(f" {i}/100 [{'=' * (i // 4):<25}] - loss: 0.{i:03}" for i in range(100))
    return bar + "\r\n".join(["", *text.split("\n")])


def backspaces(text: str) -> str:
    """Keras' progress bar, which steps back with backspaces."""
    return "".join(f"{i}/9 ---- {i}s\b\b\b\b\b\b\b\b\b\b\b\b" for i in range(9)) + "\n" + text


def prefix(mark: str) -> Callable[[str], str]:
    """The same prefix before each line."""
    return lambda text: "\n".join(mark + line for line in text.split("\n"))


def timestamps(text: str) -> str:
    """A logger's time before each line."""
    return "\n".join(f"2026-01-09 07:{i % 60:02}:11.{i:03} {line}" for i, line in enumerate(text.split("\n")))


def ci(text: str) -> str:
    """GitHub's and Kubernetes' time before each line."""
    return "\n".join(f"2026-01-09T07:00:11.{i:07}Z {line}" for i, line in enumerate(text.split("\n")))


def ranks(text: str) -> str:
    """Two processes whose lines alternate; only the second fails."""
    lines = text.split("\n")
    return "\n".join(f"[rank0]: step {i} loss 0.5\n[rank1]: {line}" for i, line in enumerate(lines))


def srun(text: str) -> str:
    """`srun --label`, two tasks that fail alike and whose lines alternate."""
    return "\n".join(f"0: {line}\n1: {line}" for line in text.split("\n"))


def ray(text: str) -> str:
    """A Ray worker's prefix."""
    return "\n".join(f"(train_fn pid=4242, ip=10.0.0.7) {line}" for line in text.split("\n"))


def compose(text: str) -> str:
    """docker compose's prefix."""
    return "\n".join(f"trainer-1  | {line}" for line in text.split("\n"))


def hard_wrap(width: int) -> Callable[[str], str]:
    """Cut by a terminal, in the middle of words."""

    def wrap(text: str) -> str:
        text = re.sub(r"\x1b\[[\d;]*m", "", text)  # codes take no room on a terminal
        return "\n".join(line[i : i + width] for line in text.split("\n") for i in range(0, max(len(line), 1), width))

    return wrap


def soft_wrap(text: str) -> str:
    """Wrapped at words, as mail programs do."""
    wrapped = (textwrap.wrap(line, 100, break_long_words=False, break_on_hyphens=False) for line in text.split("\n"))
    return "\n".join("\n".join(lines) for lines in wrapped)


def escaped(text: str) -> str:
    """All of it on one line, as a gRPC status shows it."""
    return 'status = INTERNAL, details = "' + text.replace("\n", "\\n").replace("\t", "\\t") + '"'


def docker_json(text: str) -> str:
    """Docker's own log files."""
    return "\n".join(
        json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-01-09T07:00:11.000000000Z"})
        for line in text.split("\n")
    )


def notebook(text: str) -> str:
    """The stderr output of a cell in an .ipynb file."""
    lines = [line + "\n" for line in text.split("\n")]
    outputs = [{"name": "stderr", "output_type": "stream", "text": lines}]
    return json.dumps({"cells": [{"cell_type": "code", "outputs": outputs}]}, indent=1, ensure_ascii=False)


def web(text: str) -> str:
    """A notebook exported to HTML."""
    lines = (f'<span class="ansi-red-fg">{html.escape(line)}</span>' for line in text.split("\n"))
    return '<div class="output"><pre>\n' + "\n".join(lines) + "\n</pre></div>"


def windows(text: str) -> str:
    """Line ends of Windows."""
    return text.replace("\n", "\r\n")


def foreign(text: str) -> str:
    """Text in other languages around it, and bytes that are no UTF-8 (kept by surrogates)."""
    return "Обучение началось\n訓練を開始します\n\udcff\udcfe\x00\x01\n" + text + "\nУчение окончено\n"


DIRT: dict[str, Callable[[str], str]] = {
    "ansi": ansi,
    "lost-escapes": lost_escapes,
    "progress": progress,
    "backspaces": backspaces,
    "hash": prefix("# "),
    "quote": prefix("> "),
    "quoted-twice": prefix("> > "),
    "indented": prefix("    "),
    "timestamps": timestamps,
    "ci": ci,
    "ranks": ranks,
    "srun": srun,
    "ray": ray,
    "compose": compose,
    "wrap-80": hard_wrap(80),
    "wrap-120": hard_wrap(120),
    "soft-wrap": soft_wrap,
    "escaped": escaped,
    "docker-json": docker_json,
    "notebook": notebook,
    "html": web,
    "windows": windows,
    "foreign": foreign,
    "colour-behind-prefix": lambda text: timestamps(ansi(text)),
}
