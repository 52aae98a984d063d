"""Lines to errors: a small state machine for each stream (process, rank) that speaks in a log.

It knows Python tracebacks (plain, IPython's, pytest's, faulthandler's), the stacks of graph nodes that TensorFlow
prints inside a message, the C++ runtime's lines, what a shell or scheduler says of a dead process, and bare messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from xladoctor.logs import signatures
from xladoctor.logs.bare import Bare
from xladoctor.logs.bounds import GOES_ON, HEADER, NODE, OP_STACK, RAISED, STOP
from xladoctor.logs.clean import CPP, Clean
from xladoctor.logs.draft import FRAMES, Draft
from xladoctor.logs.endings import death, glued, is_told, is_work
from xladoctor.logs.exceptions import HEADER_IN_GROUP, NAMED_ABOVE, exception_name
from xladoctor.logs.frames import (
    arrow,
    autograph_frame,
    ipython_frame,
    is_rich_code,
    pytest_frame,
    pytest_raised,
    python_frame,
    rich_frame,
)
from xladoctor.logs.kinds import Kind
from xladoctor.model.evidence import AT_EXIT, ErrorRecord, Frame

PLAIN = 40
APART = 60
"""Lines between the frames of a traceback whose head is missing, at most."""
NEAR = 6
"""The same between such frames and a line of the runtime."""

_CHAIN = ("During handling of the above exception", "The above exception was the direct cause")


class Segmenter:
    """Reads the cleaned lines of one stream and hands finished records to `emit`."""

    def __init__(
        self,
        source: str,
        stream: str | None,
        emit: Callable[[ErrorRecord, int], None],
        literals: tuple[str, ...] = (),
    ) -> None:
        self._source, self._stream, self._emit, self._literals = source, stream, emit, literals
        self.bare = Bare(source, stream)
        self._recent: deque[str] = deque(maxlen=40)
        self._loose: deque[tuple[int, Frame]] = deque(maxlen=40)
        self._draft: Draft | None = None
        self._in_frames = self._watching = False
        self._wrapped = ""
        self._chained: str | None = None
        self._number = self._margin = self._worked = 0
        self._grave, self._told = dict[str, int](), dict[str, int]()

    def feed(self, line: Clean) -> None:
        """Take one line."""
        self._number = line.number
        text = self._without_margin(line.text)
        if HEADER in text:
            self._open_traceback(text)
        elif self._draft is None:
            self._outside(text)
            self.bare.take(line.number, text, taken=self._draft is not None)
        elif self._in_frames:
            self._frame(text)
        else:
            self._message(text)
        if text.strip():
            self._recent.append(text[:500])

    @property
    def idle(self) -> bool:
        """Whether nothing is open: a line that means nothing by itself means nothing at all."""
        return self._draft is None and not (self._margin or self._watching or self.bare.is_open)

    @property
    def outside(self) -> bool:
        """Whether no error is open, though words may be, or work be looked for."""
        return self._draft is None and not self._margin

    def feed_inert(self, number: int, text: str, kind: Kind) -> None:
        """Do what `feed` would do with a line of an inert kind outside of any error."""
        self._number = number
        if self._watching and kind.works and not kind.cpp:
            self._worked, self._watching = number, False
        self.bare.take_inert(number, text, kind)
        if text:
            self._recent.append(text[:500])

    def pass_by(self, recent: list[str], above: str, worked: int) -> None:
        """Do what `feed` would do with lines of inert kinds while nothing is open (see `skip.py`)."""
        self.bare.pass_by(above, worked)
        self._recent.extend(recent)

    def _without_margin(self, text: str) -> str:
        """Take back the indentation that a whole traceback has (quoted in Markdown, logged by a framework)."""
        if HEADER in text and not (self._draft is not None and self._draft.lines):
            self._margin = len(text) - len(text.lstrip())
        if self._margin and text.strip():
            if not text[: self._margin].strip():
                return text[self._margin :]
            self._margin = 0
        return text

    @property
    def last_words(self) -> list[str]:
        """Where the runtime spoke of an error below which this stream shows no more work."""
        return [where for where, number in self._grave.items() if number > self._worked]

    @property
    def left(self) -> dict[str, tuple[Frame, ...]]:
        """The frames below the error where, in a copy that is broken, they belong to an exception that followed."""
        return {self._chained: tuple(frame for _, frame in self._loose)} if self._chained and self._loose else {}

    @property
    def handled(self) -> list[str]:
        """Where the program told of an error in its own words, and went on working."""
        return [where for where, number in self._told.items() if number < self._worked]

    def gap(self) -> None:
        """Lines were skipped here: what was open is finished, and what stood before is no longer near."""
        self.finish()
        self._recent.clear()
        self._loose.clear()
        self.bare.gone()

    def finish(self, *, ended: bool = True, at_end: bool = False) -> None:
        """Emit what is open. At the end of the log that may be a traceback whose last line, the error, is cut off."""
        draft, self._draft, self._in_frames = self._draft, None, False
        cut = draft is not None and not (draft.lines or draft.exception)
        if draft is not None and cut and draft.frames and (at_end or draft.named_above):
            # IPython names the exception above its traceback: that is left where the rest was cut off.
            draft.exception = draft.named_above
            draft.lines.append(f"{HEADER}):")
        if draft is None or not (draft.lines or draft.exception) or draft.ignored:
            return
        self._chained = None
        if draft.grave:
            self._grave[f"{self._source}:{draft.number}"] = draft.number
        self._emit(draft.record(self._source, self._stream, ended=ended), draft.number)

    # --- tracebacks ---------------------------------------------------------------------------------------------------
    def _open_traceback(self, text: str) -> None:
        draft = self._draft
        quoting = exception_name(text, certain=False) if draft is not None and self._in_frames else None
        if draft is not None and draft.frames and quoting:  # an exception whose message is another traceback
            draft.exception, self._in_frames = quoting[0], False
            return
        inside = draft is not None and bool(draft.lines) and text.startswith((" ", "\t"))
        callback = draft.callback_exception if draft is not None and not self._in_frames else None
        if draft is not None and (inside or callback):
            # Printed inside a message (py_function, remote workers), it is part of that message.
            draft.callback = callback or draft.callback
            draft.add(text)
            return
        self.finish()
        named = NAMED_ABOVE.match(text)
        above = self._recent[-1] if self._recent else ""
        at_exit = above.startswith(AT_EXIT)
        self._draft = self._new(level="warning") if at_exit else self._new()
        self._draft.ignored = above.startswith("Exception ignored ") and not at_exit
        self._draft.named_above = named[1] if named else None
        self._in_frames = True

    def _frame(self, text: str) -> None:
        draft = self._draft
        assert draft is not None
        if self._wrapped:
            text, self._wrapped = self._wrapped + " " + text.strip(), ""
        frame = python_frame(text) or ipython_frame(text) or rich_frame(text)
        if frame:
            draft.add_frame(frame)
            return
        if text.lstrip().startswith('File "') and len(text) < 600 and not text.endswith(">"):
            self._wrapped = text
            return
        pointed = arrow(text)
        if pointed and draft.frames:
            draft.frames[-1] = replace(draft.frames[-1], line=pointed[0], code=pointed[1])
            return
        if is_rich_code(text):
            return
        if not text.strip() or (text[0] in " \t+|" and not HEADER_IN_GROUP.match(text)):
            code = text.strip()
            if code and draft.frames:
                draft.code_or_marks(text, code)
            return
        name = exception_name(text, certain=bool(draft.frames))
        if name:
            draft.exception, rest = name
            draft.user_code = rest.startswith("in user code")
            self._in_frames = False
            draft.add(rest)
        elif CPP.match(text) or death(text) or not draft.frames or signatures.speaks(text):
            self._in_frames = False
            self._message(text)

    def _message(self, text: str) -> None:
        draft = self._draft
        assert draft is not None
        if text.lstrip(" `").startswith(_CHAIN):
            self.finish(ended=False)
            self._chained = f"{self._source}:{draft.number}"
            return
        if draft.open_stack and self._stack_line(text):
            return
        raised = pytest_raised(text)
        if raised and raised[1] == draft.exception:
            draft.frames.append(raised[0])
            self.finish()
            return
        if CPP.match(text) or STOP.match(text) or death(text) or draft.full:
            self.finish()
            self._outside(text)
            return
        if not text.strip():
            draft.blank = True
            if draft.lines and draft.lines[-1]:
                draft.lines.append("")
            return
        if draft.blank and not GOES_ON.match(text) and not draft.goes_on_below_a_gap(text):
            self.finish()
            self._outside(text)
            return
        draft.blank = False
        if not self._of_a_stack(draft, text):
            self._words(draft, text)

    def _of_a_stack(self, draft: Draft, text: str) -> bool:
        """Take a line within a message that belongs to a stack: its head, a frame, the code of one, its end."""
        if "(most recent call first)" in text or text.startswith("Extension modules:"):
            draft.reverse = True
            return True
        if OP_STACK.match(text):
            draft.open_stack, draft.first_stack = True, not draft.op_frames
            draft.stacks += 1
            if text.lstrip().startswith("Detected at"):
                draft.add(text)
            return True
        indent = len(text) - len(text.lstrip())
        frame = python_frame(text) or (autograph_frame(text) if draft.user_code else None)
        if frame:
            if len(draft.frames) < FRAMES:
                draft.frames.append(frame)
            draft.code_below = indent
            return True
        if 0 <= draft.code_below < indent:
            if draft.frames and text.strip():
                draft.code_or_marks(text, text.strip())
            return True
        draft.code_below = -1
        return False

    def _words(self, draft: Draft, text: str) -> None:
        """Take a line of the message itself."""
        indented = text[:1].isspace()
        inner = exception_name(text.strip(), certain=False) if indented and draft.user_code else None
        if inner:  # "in user code:" holds the frames and, below them, the exception that it is about
            draft.exception, text = inner
            draft.plain = 0
        draft.user_code |= "in user code:" in text
        goes_on = GOES_ON.match(text) is not None
        draft.plain = 0 if goes_on else draft.plain + 1
        if not goes_on and self._watching:
            self._look_for_work(text)
        if draft.plain > PLAIN:  # what the program printed after its error, without a line between
            self.finish()
            return
        draft.add(text)

    def _stack_line(self, text: str) -> bool:
        """Whether a line belongs to the stack of a graph node; frames are kept of the first such stack."""
        draft = self._draft
        assert draft is not None
        frame, said = python_frame(text), text.strip()
        indent = len(text) - len(text.lstrip())
        if frame:
            draft.op_frame(frame)
            draft.code_below = indent
            return True
        # Code of a frame is indented; so are these lines of the message where a tab was turned into blanks.
        code = (indent >= 4 or 0 <= draft.code_below < indent) and not said.startswith(("[[", "tf2xla conversion"))
        if not said or code or said == "<stack traces unavailable>":
            draft.op_code(said if code else "")
            draft.blank = False
            return True
        draft.open_stack, draft.code_below = False, -1
        return False

    def _new(self, **more: str) -> Draft:
        return Draft(self._number, tuple(self._recent), **more)  # type: ignore[arg-type]

    # --- outside of any error -----------------------------------------------------------------------------------------
    def _outside(self, text: str) -> None:
        if not text.strip():
            return
        cpp = CPP.match(text)
        if cpp:
            self._cpp(cpp[1] or cpp[2], text[cpp.end() :], f"{cpp[3]}:{cpp[4]}")
            return
        frame = python_frame(text) or pytest_frame(text) or ipython_frame(text)
        if frame:
            self._loose.append((self._number, frame))
            return
        if self._points(text):
            return
        found = RAISED.search(text) if "Error" in text or "xception" in text or "Interrupt" in text else None
        if found and len(text[: found.start()]) < 60 and "(" not in text[: found.start()]:
            self._draft = self._new(exception=found[2])
            if is_told(text[: found.start()]):
                self._told[f"{self._source}:{self._number}"] = self._number
                self._watching = True
            self._draft.user_code = (found[3] or "").startswith("in user code")
            self._take_loose()
            self._draft.add(found[3] or "")
        elif death(text) or glued(text):
            self._draft = self._new()
            self._draft.add(glued(text) or text.strip())
        elif signatures.warns(text, self._literals):
            self._draft = self._new(level="warning")
            self._draft.add(text.strip())
        elif (
            signatures.speaks(text)
            or ("[[" in text and NODE.match(text))
            or any(literal in text for literal in self._literals)
        ):
            self._draft = self._new()
            self._take_loose()
            if said := self._said_above(text):
                self._draft.add(said)
            self._draft.add(text.strip())
        elif self._watching:
            self._look_for_work(text)

    def _said_above(self, text: str) -> str | None:
        """What a line with the mark of a node goes on from: the mark stands below the sentence."""
        alone = signatures.speaks(text.replace("[Op:", "")) and not (text[:1].isspace() or text[:1].islower())
        if alone and not NODE.match(text):
            return None
        above = self.bare.above(text) or (self._recent[-1] if self._recent and NODE.match(text) else "")
        return above.strip() if above.strip() and not python_frame(above) and not CPP.match(above) else None

    def _points(self, text: str) -> bool:
        """Take the line of code that a traceback without a head points at."""
        pointed = arrow(text)
        if not pointed or not self._loose or self._number - self._loose[-1][0] >= APART:
            return False
        number, frame = self._loose[-1]
        self._loose[-1] = number, replace(frame, line=pointed[0], code=pointed[1])
        return True

    def _look_for_work(self, text: str) -> None:
        """Note the first line by which the program is seen to work on below an error."""
        if is_work(text):
            self._worked, self._watching = self._number, False

    def _take_loose(self, near: int = APART) -> None:
        """Take the frames above a message; `near` is how far the last one may be from it."""
        assert self._draft is not None
        below = self._number
        for number, frame in reversed(self._loose):
            if below - number >= near:
                break
            self._draft.frames.insert(0, frame)
            below, near = number, APART
        self._loose.clear()

    def _cpp(self, severity: str, text: str, native: str) -> None:
        """A line of the runtime. Only F ends a process; E and W are context unless nothing else explains the end."""
        if severity == "F":
            self._draft = self._new()
        elif severity in "EW" or signatures.speaks(text):
            self._draft = self._new(level="warning")
            self._draft.grave = (severity == "E" or signatures.is_grave(text)) and not signatures.starts_up(text)
            self._watching |= self._draft.grave
            if "OP_REQUIRES failed" in text:
                self._take_loose(NEAR)
        if self._draft is not None:
            self._draft.native = native
            self._draft.add(text)
            if severity != "F" and signatures.starts_up(text):
                # Complete in one line: what the program prints next is no part of it.
                self.finish()
