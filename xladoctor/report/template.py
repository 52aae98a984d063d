"""Templates of the users' own, filled with what a blocker document is made of (docs/report.md).

They run in Jinja's sandbox, may include only what lies beside them, and escape whatever they put out, in HTML as HTML
and in Markdown as Markdown. A name that does not exist is an error, as every other one told with file and line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.shapes import shape_text
from xladoctor.report import text
from xladoctor.report.view import View

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment
    from markupsafe import Markup

ENDINGS = {
    ".md.j2": "markdown",
    ".markdown.j2": "markdown",
    ".md.jinja": "markdown",
    ".html.j2": "html",
    ".htm.j2": "html",
    ".html.jinja": "html",
}


_LARGEST = 4 << 20
"""Bytes of one template."""


@dataclass(frozen=True)
class Own:
    """A template file, and what it makes."""

    file: Path
    format: str


def find(name: str, built_in: tuple[str, ...]) -> Own | None:
    """The user's template of that name, None for a built-in one.

    Raises:
        XladoctorError: there is no such template, or its name does not say what it makes.
    """
    if name in built_in:
        return None
    file = Path(name)
    ending = next((e for e in ENDINGS if file.name.lower().endswith(e)), None)
    if not file.is_file():
        hint = did_you_mean(name, list(built_in)) or f"Built in: {', '.join(built_in)}; or a file of your own."
        raise XladoctorError(f"--template {name}: there is no such template", hint=hint)
    if ending is None:
        raise XladoctorError(
            f"--template {name}: its ending must name the format", hint=f"It ends in one of {', '.join(ENDINGS)}."
        )
    return Own(file, ENDINGS[ending])


def render(own: Own, diagnosis: Diagnosis, view: View) -> str:
    """The template, filled.

    Raises:
        XladoctorError: (exit code 2) it cannot be read or is wrong, with file and line; or it has no end.
    """
    from xladoctor.report.bounded import text_of

    return text_of(lambda: _rendered(own, diagnosis, view), str(own.file))


def _rendered(own: Own, diagnosis: Diagnosis, view: View) -> str:
    from jinja2 import TemplateError, TemplateSyntaxError

    environment = _environment(own)
    try:
        filled = environment.get_template(own.file.name).render(_variables(own, diagnosis, view, environment))
    except TemplateSyntaxError as error:
        where = f"{error.filename or own.file}:{error.lineno}"
        raise XladoctorError(f"{where}: {error.message}", hint="Templates are Jinja's: docs/report.md") from None
    except UnicodeDecodeError as error:
        raise XladoctorError(f"{own.file} is not UTF-8: {error}") from None
    except MemoryError:
        raise XladoctorError(f"{own.file}: it takes more memory than a template may") from None
    except (TemplateError, OSError) as error:
        raise _told(error, own) from None
    except XladoctorError:
        raise
    # A template is a program: whatever Python raises in it is the template's, not ours.
    except Exception as error:
        raise _told(error, own) from None
    return filled if filled.endswith("\n") else filled + "\n"


def _environment(own: Own) -> Environment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    is_html = own.format == "html"
    environment = ImmutableSandboxedEnvironment(
        loader=_loader(own),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Jinja escapes as HTML only, and leaves control codes: what is no markup yet is escaped as our own pages are.
        finalize=_as_html if is_html else _as_markdown,
    )
    environment.filters.update(_html_filters() if is_html else _markdown_filters())
    environment.filters["shape"] = _shape
    return environment


def _loader(own: Own) -> BaseLoader:
    """Templates from the folder of the user's own: regular files in it or below it, none through a link."""
    from jinja2 import FunctionLoader, TemplateNotFound

    from xladoctor.recording import files

    folder = own.file.parent

    def source(name: str) -> tuple[str, str, None]:
        try:
            # The one that the user named may be a link of the user's.
            data = files.read(folder, name, _LARGEST, follow=name == own.file.name)
        except files.Unusable as error:
            raise TemplateNotFound(name, error.message) from None
        except OSError as error:
            raise TemplateNotFound(name) from error
        return data.decode("utf-8"), str(folder / name), None

    return FunctionLoader(source)


def _safe(markup: str) -> Markup:
    """Markup that our own renderers made, which escape what is foreign."""
    from markupsafe import Markup

    return Markup(markup)  # noqa: S704


def _as_html(value: Any) -> Any:
    from xladoctor.report.html import put

    return value if hasattr(value, "__html__") else _safe(put(value))


def _as_markdown(value: Any) -> Any:
    return value if hasattr(value, "__html__") else _safe(text.md("" if value is None else value))


def _shape(value: Any) -> str:

    return shape_text(value)


def _html_filters() -> dict[str, Any]:
    from xladoctor.report import html

    return {
        "code": lambda v: _safe(html.code(v)),
        "cell": lambda v: _safe(html.code(v)),
        "fence": lambda v: _safe(html.fence(v)),
        "prose": lambda v: _safe(html.mixed(v)),
    }


def _markdown_filters() -> dict[str, Any]:
    return {
        "code": lambda v: _safe(text.md_code(v)),
        "cell": lambda v: _safe(text.md_code(v, table=True)),
        "fence": lambda v, info="": _safe(text.md_fence(v, "".join(c for c in str(info) if c.isalnum()))),
        "prose": lambda v: _safe(text.md_mixed(v, table=True)),
        # Jinja's own makes markup for a script, which Markdown has not.
        "tojson": _json,
        "escape": lambda v: _safe(text.md(v)),
        "e": lambda v: _safe(text.md(v)),
    }


def _json(value: Any, indent: int | None = None) -> str:
    import json

    return json.dumps(value, indent=indent, default=str)


class _MarkdownText(str):
    """Foreign text that becomes Markdown wherever Jinja escapes it: also where it is joined to markup."""

    __slots__ = ()

    def __html__(self) -> str:
        return text.md(self)


class _HtmlText(str):
    """Foreign text that becomes HTML as on our own pages."""

    __slots__ = ()

    def __html__(self) -> str:
        from xladoctor.report.html import esc

        return esc(self)


def _variables(own: Own, diagnosis: Diagnosis, view: View, environment: Environment) -> dict[str, Any]:
    from xladoctor.report import json_
    from xladoctor.report.replay import to_dict as replay_dict
    from xladoctor.report.words import commands_to_reproduce, end, next_action

    data = json_.to_dict(diagnosis)
    roots = [finding for finding in data["findings"] if finding["role"] == "root"]
    found = {
        "diagnosis": data,
        "root": roots[0] if roots else None,
        "run": {"folder": view.run_dir, "status": view.target_status, "ended": end(diagnosis, view)},
        "replays": [replay_dict(one) for one in view.replays],
        "next_action": next_action(diagnosis, view),
        "commands": commands_to_reproduce(diagnosis, view),
    }
    marked = _foreign(found, _HtmlText if own.format == "html" else _MarkdownText)
    return {**marked, **(_page(diagnosis, view) if own.format == "html" else _document(diagnosis, view))}


def _foreign(value: Any, kind: type[str]) -> Any:
    if isinstance(value, str):
        return kind(value)
    if isinstance(value, dict):
        return {key: _foreign(item, kind) for key, item in value.items()}
    return [_foreign(item, kind) for item in value] if isinstance(value, list) else value


def _document(diagnosis: Diagnosis, view: View) -> dict[str, Any]:
    from xladoctor.report import markdown

    found = markdown.sections(diagnosis, view)
    return {"sections": _Sections({name: _safe("\n\n".join(parts)) for name, parts in found.items()})}


def _page(diagnosis: Diagnosis, view: View) -> dict[str, Any]:
    from xladoctor.report import stations, svg
    from xladoctor.report.html import blocker, whole
    from xladoctor.report.html.style import POLICY, STYLE

    found = {one.anchor: _safe(whole(one)) for one in blocker.sections(diagnosis, view)}
    figures = {
        "path": _safe(svg.data_path("own-path", stations.stations(diagnosis.shapes))) if diagnosis.shapes else "",
        "settings": _safe(svg.settings("own-settings", stations.moments(diagnosis))) if diagnosis.settings else "",
    }
    style = _safe(f"<style>\n{STYLE}\n</style>")
    return {"sections": _Sections(found), "figures": figures, "style": style, "policy": POLICY}


class _Sections(dict[str, "Markup"]):
    """The ready sections; one that has nothing to say is empty, a name that no section has an error."""

    NAMES = (
        *("problem", "signature", "numbers", "shapes", "stack", "xla", "settings", "replays", "hypotheses", "root"),
        *("rest", "remedies", "next", "reproduce", "environment"),
    )

    def __missing__(self, name: str) -> Markup:
        if name not in self.NAMES and not str(name).startswith("replay"):
            raise KeyError(name)
        return _safe("")


def _told(error: BaseException, own: Own) -> XladoctorError:
    line = max(_lines(error.__traceback__, own.file.parent), default=None, key=lambda found: found[0])
    where = f"{line[1]}:{line[2]}" if line else str(own.file)
    said = str(getattr(error, "message", None) or error) or type(error).__name__
    kind = type(error).__name__
    plain = said if kind in ("UndefinedError", "TemplateNotFound", "SecurityError") else f"{kind}: {said}"
    hint = "The variables and filters are in docs/report.md." if kind == "UndefinedError" else None
    return XladoctorError(f"{where}: {text.line(plain)}", hint=hint)


def _lines(traceback: TracebackType | None, folder: Path) -> Iterator[tuple[int, str, int]]:
    """(depth, file, line) of the frames that lie in templates."""
    depth = 0
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if Path(file).parent == folder and Path(file).suffix in (".j2", ".jinja"):
            yield depth, file, traceback.tb_lineno
        depth += 1
        traceback = traceback.tb_next
