"""On a terminal the target behaves as without the doctor. Each test runs a program both ways in tmux and compares."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.xladoctor.experiments import under
from tests.xladoctor.experiments.under import outcome, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]

PYTHON = f"{sys.executable} -S"
BOTH = pytest.mark.parametrize("how", ["plain", "doctor"])


class Screen:
    """A shell in a terminal of its own, 90 columns wide."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = folder / "run"
        self._socket = f"xladoctor-{uuid.uuid4().hex[:8]}"
        env = {k: v for k, v in os.environ.items() if not k.startswith(("TMUX", "PYTHON", "XLADOCTOR"))}
        env |= {"PYTHONPATH": str(under.ROOT), "TERM": "screen", "SHELL": "/bin/bash", "LESS": ""}
        command = ["new-session", "-d", "-x", "90", "-y", "24", "-c", str(folder), f"exec bash --rcfile {folder}/rc -i"]
        (folder / "rc").write_text("PS1='$ '\n")
        (folder / "doctor").write_text(f'exec {" ".join(under.words(self.run))} "$@"\n')
        self.tmux("-f", "/dev/null", *command, env=env)

    def tmux(self, *words: str, **kwargs) -> str:
        command = ["tmux", "-L", self._socket, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=90, **kwargs).stdout

    def start(self, how: str, command: str) -> None:
        """Type a command, to be run plainly or under the doctor."""
        if how == "doctor":
            command = f"sh doctor {command}"
        self.type(command)

    def type(self, text: str, enter: bool = True) -> None:
        self.tmux("send-keys", "-l", text)
        if enter:
            self.key("Enter")

    def key(self, name: str) -> None:
        self.tmux("send-keys", name)

    def text(self) -> str:
        return self.tmux("capture-pane", "-p", "-J")

    def wait(self, text: str, lines: int = 1) -> str:
        """The screen, once it shows this text in so many lines that were not typed."""
        until(lambda: sum(text in line and not line.startswith("$ ") for line in self.text().splitlines()) >= lines)
        return self.text()

    def file(self, name: str) -> str:
        """What a program wrote into a file, once it is complete (its last line says `end`)."""
        path = self.folder / name
        until(lambda: path.exists() and path.read_text().endswith("end\n"))
        return path.read_text()

    def program(self, source: str, name: str = "program.py") -> str:
        (self.folder / name).write_text(source)
        return f"{PYTHON} {name}"

    def close(self) -> None:
        self.tmux("kill-server")


@pytest.fixture
def screen(tmp_path) -> Iterator[Screen]:
    shown = Screen(tmp_path)
    try:
        yield shown
    finally:
        shown.close()


@BOTH
def test_what_a_program_sees(screen, how):
    """`isatty`, the window, /dev/tty, and whether it is in the foreground."""
    source = """
import os, termios
seen = [os.isatty(n) for n in range(3)], [tuple(os.get_terminal_size(n)) for n in range(3)]
echo = [bool(termios.tcgetattr(n)[3] & termios.ECHO) for n in range(3)]
with open("/dev/tty", "w") as tty: tty.write("by /dev/tty\\n")
with open("seen", "w") as file: print(*seen, echo, os.tcgetpgrp(0) == os.getpgrp(), "end", file=file, sep="\\n")
"""
    screen.start(how, screen.program(source))
    assert screen.file("seen") == (
        "[True, True, True]\n[(90, 24), (90, 24), (90, 24)]\n[True, True, True]\nTrue\nend\n"
    )
    screen.wait("by /dev/tty")


@BOTH
def test_the_order_of_lines(screen, how):
    source = "import os\nfor n in range(2000): os.write(1 + n % 2, b'line %d\\n' % n)\nos.write(2, b'end\\n')"
    screen.start(how, screen.program(source))
    lines = screen.wait("end").splitlines()
    last = lines.index("end")
    assert lines[last - 15 : last] == [f"line {n}" for n in range(1985, 2000)]


@BOTH
def test_ctrl_c(screen, how):
    source = """
import time
hits = 0
print("ready", flush=True)
for _ in range(40):
    try: time.sleep(0.05)
    except KeyboardInterrupt: hits += 1
    if hits: break
time.sleep(0.3)
with open("seen", "w") as file: print(hits, "end", file=file, sep="\\n")
raise KeyboardInterrupt
"""
    screen.start(how, screen.program(source.replace("range(40)", "range(400)")))
    screen.wait("ready")
    screen.key("C-c")
    assert screen.file("seen") == "1\nend\n"
    screen.wait("KeyboardInterrupt")
    if how == "doctor":
        screen.wait("-- the report --")
        assert outcome(screen.run)["state"] == "interrupted"


@BOTH
def test_ctrl_z_and_fg(screen, how):
    source = """
import time
print("ready", flush=True)
answer = input("name? ")
with open("seen", "w") as file: print(answer, "end", file=file, sep="\\n")
"""
    screen.start(how, screen.program(source))
    screen.wait("name?")
    screen.key("C-z")
    screen.wait("Stopped")
    screen.type("jobs | wc -l; echo still the shell")
    screen.wait("still the shell")
    screen.type("fg")
    # The shell named it when it was stopped, and does so again. What is typed before is for the shell.
    screen.wait("program.py", lines=2)
    screen.type("Ada")
    assert screen.file("seen") == "Ada\nend\n"


@BOTH
def test_a_window_that_changes(screen, how):
    source = """
import os, signal, time
sizes = []
signal.signal(signal.SIGWINCH, lambda *_: sizes.append(os.get_terminal_size(1).columns))
print("ready", flush=True)
end = time.monotonic() + 20
while 70 not in sizes and time.monotonic() < end: time.sleep(0.01)
with open("seen", "w") as file: print(sizes[-1:], "end", file=file, sep="\\n")
"""
    screen.start(how, screen.program(source))
    screen.wait("ready")
    screen.tmux("resize-window", "-x", "70", "-y", "20")
    assert screen.file("seen") == "[70]\nend\n"


@BOTH
def test_getpass(screen, how):
    source = """
import getpass
word = getpass.getpass("word? ")
name = input("name? ")
with open("seen", "w") as file: print(word, name, "end", file=file, sep="\\n")
"""
    screen.start(how, screen.program(source))
    screen.wait("word?")
    screen.type("hidden")
    screen.wait("name?")
    screen.type("shown")
    assert screen.file("seen") == "hidden\nshown\nend\n"
    assert "hidden" not in screen.text()
    assert "name? shown" in screen.text(), "the terminal echoes again"
    if how == "doctor":
        until(lambda: outcome(screen.run)["state"] != "running")
        assert "hidden" not in (screen.run / "stderr.log").read_text()


@BOTH
@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less(screen, how):
    (screen.folder / "text").write_text("".join(f"row {n}\n" for n in range(100)))
    screen.start(how, "less text")
    screen.wait("row 22")
    screen.type(" ", enter=False)
    screen.wait("row 45")
    screen.type("/row 80", enter=True)
    screen.wait("row 95")
    # What is typed ahead is for the shell.
    screen.type("qecho back in the shell")
    screen.wait("back in the shell")


@BOTH
def test_a_key_of_several_bytes_is_read_whole(screen, how):
    """A program may take an ESC that comes alone for the key Escape."""
    source = """
import os, termios, tty
keys = os.open(os.ttyname(2), os.O_RDWR)
before = termios.tcgetattr(keys); tty.setcbreak(keys); seen = []
for n in range(3): print("reads key", n, flush=True); seen.append(os.read(keys, 16))
termios.tcsetattr(keys, termios.TCSADRAIN, before)
with open("seen", "w") as file: print(seen, "end", file=file, sep="\\n")
"""
    screen.start(how, screen.program(source))
    for n, name in enumerate(("Up", "é", "x")):
        screen.wait(f"reads key {n}")
        screen.key(name)
    assert screen.file("seen") == "[b'\\x1b[A', b'\\xc3\\xa9', b'x']\nend\n"


@BOTH
def test_a_progress_bar(screen, how):
    """What tqdm does: it asks standard error for its width, and writes over its line."""
    source = """
import os, sys, time
for n in range(21):
    width = os.get_terminal_size(2).columns - 10 if os.isatty(2) else 10
    sys.stderr.write("\\r" + f"{n:3} |" + "#" * (width * n // 20)); sys.stderr.flush(); time.sleep(0.01)
sys.stderr.write("\\nend of bar\\n")
"""
    screen.start(how, screen.program(source))
    lines = screen.wait("end of bar").splitlines()
    assert lines[lines.index("end of bar") - 1] == " 20 |" + "#" * 80
    assert sum("#" in line for line in lines) == 1


@BOTH
def test_standard_error_in_a_file(screen, how):
    source = """
import os, sys
print("to the terminal"); print("to the file", file=sys.stderr)
with open("seen", "w") as file: print([os.isatty(n) for n in range(3)], "end", file=file, sep="\\n")
"""
    screen.start(how, f"{screen.program(source)} 2>err")
    assert screen.file("seen") == "[True, True, False]\nend\n"
    screen.wait("to the terminal")
    assert (screen.folder / "err").read_text() == "to the file\n"


@BOTH
def test_curses_sets_the_modes_of_its_output(screen, how):
    source = """
import curses
def page(window):
    window.addstr(2, 3, f"page {window.getmaxyx()}"); window.refresh()
    return window.getkey() + window.getkey()
keys = curses.wrapper(page)
with open("seen", "w") as file: print(keys, "end", file=file, sep="\\n")
"""
    screen.start(how, screen.program(source))
    screen.wait("page (24, 90)")
    screen.type("ab", enter=False)
    assert screen.file("seen") == "ab\nend\n"
    until(lambda: screen.text().rstrip().endswith("$"))
    screen.type("stty -a | grep -o ' icanon'; echo the modes")
    assert " icanon" in screen.wait("the modes")


@BOTH
def test_a_pager_behind_it_keeps_the_terminal(screen, how):
    screen.start(how, f"{screen.program('print(*range(200), sep=chr(10))')} | less")
    screen.wait("22")
    screen.type(" ", enter=False)
    screen.wait("45")
    screen.type("q", enter=False)
    screen.type("echo back in the shell")
    screen.wait("back in the shell")


def test_the_doctor_is_killed(screen):
    """What is printed still comes to the terminal, and the terminal is the shell's again."""
    source = """
import os, time
print("ready", flush=True)
while not os.path.exists("go"): time.sleep(0.01)
print("still here", os.isatty(1), flush=True)
"""
    screen.start("doctor", screen.program(source))
    screen.wait("ready")
    [doctor] = [p for p in _processes() if str(screen.run) in p[1] and under.__name__ in p[1]]
    os.kill(doctor[0], 9)
    screen.wait("Killed")
    screen.type("echo the shell")
    screen.wait("the shell")
    (screen.folder / "go").touch()
    # The shell has printed its prompt in that line before.
    until(lambda: "still here True" in screen.text())
    assert until(lambda: outcome(screen.run)["state"] == "exited")


def _processes() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                yield int(folder.name), (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
