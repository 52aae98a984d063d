"""The language server: diagnostics, code actions for safe fixes, and hover with the explanation of a code."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec
from pygls.workspace.position_codec import ServerTextPosition

from xladoctor import __version__
from xladoctor.editors.project import Workspace, is_sound
from xladoctor.errors import XladoctorError
from xladoctor.lint.engine import Spot
from xladoctor.lint.fix import Change, Fix, Position, compatible
from xladoctor.report.rule_text import one_markdown
from xladoctor.report.text import line
from xladoctor.rules import CODES, by_code

_PAUSE = 0.3
"""Seconds without a change after which a file that is being written is linted."""
_FIX_ALL = "source.fixAll.xladoctor"
_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_CODE = re.compile(r"\bXD\d{3}\b", re.IGNORECASE)


class Server(LanguageServer):
    """A language server with what it found last, by the address of the file."""

    def __init__(self) -> None:
        super().__init__("xladoctor", __version__)
        self.spots: dict[str, tuple[int | None, list[Spot]]] = {}
        self._workspaces: dict[Path | None, Workspace] = {}
        self._waiting: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._complaint = ""

    def wake(self, pause: float) -> None:
        """Lint all open files after a pause, unless something changes before."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().create_task(self._lint_after(pause))

    async def _lint_after(self, pause: float) -> None:
        await asyncio.sleep(pause)
        self._waiting = None
        # One at a time; what was begun comes to an end, and is published only if it is still true.
        async with self._turn:
            await self._lint()

    async def _lint(self) -> None:
        groups: dict[Path | None, dict[str, tuple[str, int | None, str]]] = {}
        for uri, document in self.workspace.text_documents.items():
            path = to_fs_path(uri)
            if path is not None and path.endswith((".py", ".pyw")):
                group = groups.setdefault(self._folder_of(Path(path)), {})
                group[path] = (uri, document.version, document.source)
        for folder, open_files in groups.items():
            known = self._workspaces.setdefault(folder, Workspace(folder))
            try:
                found = await asyncio.to_thread(known.lint, {path: text for path, (_, _, text) in open_files.items()})
                self._complaint = ""
            except XladoctorError as error:
                self._complain(error)
                found = {path: [] for path in open_files}
            for path, (uri, version, _) in open_files.items():
                self._publish(uri, version, found[path])

    def _folder_of(self, path: Path) -> Path | None:
        folders = [Path(name) for f in self.workspace.folders.values() if (name := to_fs_path(f.uri)) is not None]
        folders += [Path(self.workspace.root_path)] if self.workspace.root_path else []
        holding = [folder for folder in folders if path.is_relative_to(folder)]
        return max(holding, key=lambda folder: len(folder.parts), default=None)

    def _complain(self, error: XladoctorError) -> None:
        text = f"xladoctor: {line(error.message)}"
        if text != self._complaint:
            self._complaint = text
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, text))

    def _publish(self, uri: str, version: int | None, spots: list[Spot]) -> None:
        document = self.workspace.text_documents.get(uri)
        if document is None or document.version != version:
            return
        self.spots[uri] = (version, spots)
        found = [diagnostic(spot, document.position_codec) for spot in spots]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def forget(self, uri: str) -> None:
        """A file was closed: its findings leave the editor's list."""
        self.spots.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def diagnostic(spot: Spot, codec: PositionCodec) -> lsp.Diagnostic:
    """A finding as an editor shows it, on the first line of what it is about."""
    finding = spot.finding
    end = spot.end if spot.end[0] == spot.start[0] and spot.end > spot.start else (spot.start[0], 1 << 20)
    leads_to = finding.details.get("leads_to")
    return lsp.Diagnostic(
        range=_range(spot, spot.start, end, codec),
        message=line(finding.message) + (f" Becomes {leads_to}." if leads_to else ""),
        severity=_SEVERITY[finding.level],
        code=finding.code,
        source="xladoctor",
    )


def _range(spot: Spot, start: Position, end: Position, codec: PositionCodec) -> lsp.Range:
    return lsp.Range(_position(spot, start, codec), _position(spot, end, codec))


def _position(spot: Spot, position: Position, codec: PositionCodec) -> lsp.Position:
    """A place in the units of the client; one behind the end is the end."""
    lines = spot.source.lines
    number, column = position
    if number > len(lines):
        number, column = len(lines), len(lines[-1])
    column = min(column, len(lines[number - 1]))
    return codec.position_to_client_units(lines, ServerTextPosition(number - 1, column))


def actions(server: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """The safe fixes of the findings on the lines that were asked about, and one action for all of the file."""
    uri = params.text_document.uri
    document = server.workspace.text_documents.get(uri)
    version, spots = server.spots.get(uri, (None, []))
    if document is None or document.version != version:
        return []
    codec, only = document.position_codec, params.context.only
    sound = [spot for spot in spots if spot.fix is not None and is_sound(spot.fix, spot.source)]
    made: list[lsp.CodeAction] = []
    for spot in sound:
        first, last = params.range.start.line + 1, params.range.end.line + 1
        if spot.fix is not None and _wanted(lsp.CodeActionKind.QuickFix, only) and first <= spot.start[0] <= last:
            edit = _edit(uri, version, spot, [spot.fix], codec)
            shown = [diagnostic(spot, codec)]
            made.append(lsp.CodeAction(spot.fix.title, lsp.CodeActionKind.QuickFix, shown, edit=edit))
    together = compatible([spot.fix for spot in sound if spot.fix is not None])
    if together and _wanted(_FIX_ALL, only):
        edit = _edit(uri, version, sound[0], together, codec)
        made.append(lsp.CodeAction("Make all safe fixes of xladoctor", _FIX_ALL, edit=edit))
    return made


def _wanted(kind: str, only: Any) -> bool:
    return only is None or any(kind == str(one) or kind.startswith(f"{one}.") for one in map(_plain, only))


def _plain(kind: Any) -> str:
    return str(getattr(kind, "value", kind))


def _edit(uri: str, version: int | None, spot: Spot, fixes: list[Fix], codec: PositionCodec) -> lsp.WorkspaceEdit:
    def text_edit(change: Change) -> lsp.TextEdit:
        return lsp.TextEdit(_range(spot, change.start, change.end, codec), change.text)

    edits = [text_edit(change) for fix in fixes for change in fix.changes]
    named = lsp.OptionalVersionedTextDocumentIdentifier(uri, version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(named, edits)])


def hover(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """The explanation of the code under the cursor, else of the findings of its line."""
    uri = params.text_document.uri
    document = server.workspace.text_documents.get(uri)
    if document is None:
        return None
    row = params.position.line
    lines = document.source.splitlines()
    codes = _CODE.finditer(lines[row]) if row < len(lines) else ()
    named = [code[0].upper() for code in codes if code.start() <= params.position.character <= code.end()]
    version, spots = server.spots.get(uri, (None, []))
    here = [spot.finding.code for spot in spots if spot.start[0] == row + 1] if version == document.version else []
    pages = [_page(code) for code in dict.fromkeys(named or here) if code in CODES]
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(pages))) if pages else None


def _page(code: str) -> str:
    """What `explain` shows, without the comment that names its schema."""
    return one_markdown(by_code(code)).partition("\n")[2].strip()


def server() -> Server:
    """A server with its features, not yet started."""
    made = Server()

    @made.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        made.wake(0)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        made.wake(_PAUSE)

    @made.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        made.wake(0)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        made.forget(params.text_document.uri)

    kinds = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, _FIX_ALL])

    @made.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def asked(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return actions(made, params)

    @made.feature(lsp.TEXT_DOCUMENT_HOVER)
    def pointed(params: lsp.HoverParams) -> lsp.Hover | None:
        return hover(made, params)

    return made


def serve() -> None:
    """Serve one editor over standard input and output, until it says exit."""
    server().start_io()
