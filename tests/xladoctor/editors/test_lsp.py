"""`xladoctor lsp` in a process of its own, asked by the client of pygls."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from xladoctor.__main__ import main
from xladoctor.editors import project
from xladoctor.editors.project import MOST_FILES, Workspace, is_sound
from xladoctor.extras import how_to_install
from xladoctor.lint.fix import Change, Fix
from xladoctor.sources.source import parse

ROOT = Path(__file__).resolve().parents[3]
JIT = "import tensorflow as tf\n\n\n@tf.function(jit_compile=True)\ndef f(x):\n    tf.print(x)\n    return x\n"
LEVEL = 'os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # 😀 é\n'
CALL = 'x = "😀"; tf.function(g, jit_compile=True)\n'
LATE = f"import os\nimport tensorflow as tf\n\n{LEVEL}{CALL}"
GOOD = f"import os\n{LEVEL}import tensorflow as tf\n\n{CALL}"


class Editor(LanguageClient):
    """An editor that shows what it was told last of each file."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.shown: dict[str, tuple[int | None, list[lsp.Diagnostic]]] = {}
        self.messages: list[str] = []
        self.news = asyncio.Event()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.shown[params.uri] = (params.version, list(params.diagnostics))
            self.news.set()

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def told(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

    def open(self, file: Path, text: str | None = None) -> str:
        uri = file.as_uri()
        item = lsp.TextDocumentItem(uri, "python", 1, file.read_text() if text is None else text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, version: int, text: str) -> None:
        named = lsp.VersionedTextDocumentIdentifier(version, uri)
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(named, [whole]))

    async def diagnostics(self, uri: str, version: int | None = 1) -> list[lsp.Diagnostic]:
        while uri not in self.shown or self.shown[uri][0] != version:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 60)
        return self.shown[uri][1]

    async def actions(self, uri: str, first: int, last: int, only: list[str] | None = None) -> list[lsp.CodeAction]:
        asked = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        context = lsp.CodeActionContext(self.shown[uri][1], only)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), asked, context)
        return list(await self.text_document_code_action_async(params) or ())

    async def hover(self, uri: str, line: int, character: int) -> str:
        place = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, character))
        found = await self.text_document_hover_async(place)
        return found.contents.value if found is not None else ""


def session(folder: Path, work: Callable[[Editor], Awaitable[None]]) -> None:
    async def whole() -> None:
        editor = Editor()
        await editor.start_io(sys.executable, "-m", "xladoctor", "lsp")
        started = await editor.initialize_async(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(),
                process_id=None,
                workspace_folders=[lsp.WorkspaceFolder(folder.as_uri(), "study")],
            )
        )
        assert started.server_info is not None and started.server_info.name == "xladoctor"
        editor.initialized(lsp.InitializedParams())
        await work(editor)
        await editor.shutdown_async(None)
        editor.exit(None)
        await asyncio.wait_for(editor.stop(), 30)

    asyncio.run(whole())


def applied(text: str, edit: lsp.WorkspaceEdit) -> str:
    """The text after an edit, as an editor makes it: places count UTF-16 units of the text before."""
    assert edit.document_changes is not None
    [change] = edit.document_changes
    data = [line.encode("utf-16-le") for line in text.splitlines(keepends=True)]
    starts = [sum(map(len, data[:n])) for n in range(len(data) + 1)]
    whole = b"".join(data)
    spans = []
    for edit_ in change.edits:
        begin, end = edit_.range.start, edit_.range.end
        spans.append((starts[begin.line] + 2 * begin.character, starts[end.line] + 2 * end.character, edit_.new_text))
    for begin, end, new in sorted(spans, reverse=True):
        whole = whole[:begin] + new.encode("utf-16-le") + whole[end:]
    return whole.decode("utf-16-le")


def test_diagnostics_follow_what_is_written(tmp_path) -> None:
    (tmp_path / "step.py").write_text(JIT)

    async def work(editor: Editor) -> None:
        uri = editor.open(tmp_path / "step.py")
        first = await editor.diagnostics(uri)
        assert [(d.code, d.severity.name, d.range.start.line) for d in first] == [
            ("XD803", "Warning", 5),
            ("XD810", "Information", 3),
        ]
        assert "Becomes unsupported-op." in first[0].message and first[0].source == "xladoctor"
        assert (first[0].range.start.character, first[0].range.end.character) == (4, 15)
        editor.change(uri, 2, JIT.replace("    tf.print(x)\n", ""))
        assert [d.code for d in await editor.diagnostics(uri, 2)] == ["XD810"]
        editor.change(uri, 3, JIT.replace("return x", "return ("))
        assert await editor.diagnostics(uri, 3) == []
        editor.change(uri, 4, JIT)
        editor.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        assert len(await editor.diagnostics(uri, 4)) == 2
        editor.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        assert await editor.diagnostics(uri, None) == []

    session(tmp_path, work)


def test_calls_are_followed_into_files_of_the_folder_and_of_the_editor(tmp_path) -> None:
    (tmp_path / "main.py").write_text(
        JIT.replace("    tf.print(x)\n    return x", "    return show(x)").replace(
            "tf\n", "tf\nfrom other import show\n", 1
        )
    )
    (tmp_path / "other.py").write_text("def show(x):\n    return x\n")
    printing = "import tensorflow as tf\ndef show(x):\n    tf.print(x)\n    return x\n"

    async def work(editor: Editor) -> None:
        uri = editor.open(tmp_path / "other.py", printing)
        assert [d.code for d in await editor.diagnostics(uri)] == ["XD803"]

    session(tmp_path, work)


def test_code_actions_make_the_safe_fixes(tmp_path) -> None:
    (tmp_path / "late.py").write_text(LATE)

    async def work(editor: Editor) -> None:
        uri = editor.open(tmp_path / "late.py")
        found = {d.code: d for d in await editor.diagnostics(uri)}
        # In UTF-16 units: the face has two.
        assert found["XD810"].range.start.character == LATE.splitlines()[4].index("jit_compile") + 1
        quick, every = await editor.actions(uri, 3, 3)
        assert quick.kind == "quickfix" and quick.diagnostics[0].code == "XD801"
        assert applied(LATE, quick.edit) == GOOD == applied(LATE, every.edit)
        assert quick.edit.document_changes[0].text_document.version == 1
        assert [action.kind for action in await editor.actions(uri, 0, 0)] == ["source.fixAll.xladoctor"]
        assert [action.kind for action in await editor.actions(uri, 3, 3, ["source.fixAll"])] == [
            "source.fixAll.xladoctor"
        ]
        assert await editor.actions(uri, 3, 3, ["refactor"]) == []
        editor.change(uri, 2, GOOD)
        await editor.diagnostics(uri, 2)
        assert await editor.actions(uri, 0, 9) == []

    session(tmp_path, work)


def test_hover_explains_the_code(tmp_path) -> None:
    text = JIT + "y = 1  # xladoctor: ignore[XD805] it is one\n"
    (tmp_path / "step.py").write_text(text)

    async def work(editor: Editor) -> None:
        uri = editor.open(tmp_path / "step.py")
        await editor.diagnostics(uri)
        assert (await editor.hover(uri, 5, 6)).startswith("# XD803 host-op-in-jit\n")
        column = text.splitlines()[-1].index("XD805")
        assert (await editor.hover(uri, 7, column + 2)).startswith("# XD805 shape-from-value\n")
        assert await editor.hover(uri, 7, 0) == "" and await editor.hover(uri, 99, 0) == ""

    session(tmp_path, work)


def test_wrong_settings_are_shown_once_and_nothing_ends(tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.xladoctor.lint]\nselekt = ['XD8']\n")
    (tmp_path / "step.py").write_text(JIT)

    async def work(editor: Editor) -> None:
        uri = editor.open(tmp_path / "step.py")
        assert await editor.diagnostics(uri) == []
        editor.change(uri, 2, JIT + "\n")
        assert await editor.diagnostics(uri, 2) == []
        assert len(editor.messages) == 1 and "'selekt' is not known" in editor.messages[0]
        (tmp_path / "pyproject.toml").write_text("[tool.xladoctor.lint]\nselect = ['XD803']\n")
        editor.change(uri, 3, JIT)
        assert [d.code for d in await editor.diagnostics(uri, 3)] == ["XD803"]

    session(tmp_path, work)


def test_of_a_large_workspace_the_files_beside_the_open_ones_are_read(tmp_path) -> None:
    (tmp_path / "many").mkdir()
    for number in range(MOST_FILES + 1):
        (tmp_path / "many" / f"m{number}.py").write_text("")
    (tmp_path / "other.py").write_text("def show(x):\n    return x\n")
    main_py = tmp_path / "main.py"
    workspace = Workspace(tmp_path)
    assert [spot.finding.code for spot in workspace.lint({str(main_py): JIT})[str(main_py)]] == ["XD803", "XD810"]
    assert list(workspace._parsed) == [str(tmp_path / "other.py")]


def test_a_workspace_is_not_walked_at_every_change(tmp_path, monkeypatch) -> None:
    walks = []
    walk = project.files.paths_in
    monkeypatch.setattr(project.files, "paths_in", lambda *args: walks.append(args) or walk(*args))
    main_py, workspace = str(tmp_path / "main.py"), Workspace(tmp_path)
    (tmp_path / "other.py").write_text("")
    for _ in range(3):
        workspace.lint({main_py: JIT})
    assert len(walks) == 1
    monkeypatch.setattr(project.time, "monotonic", lambda: 1e9)
    workspace.lint({main_py: JIT})
    assert len(walks) == 2


def test_a_fix_that_is_not_the_same_program_is_not_offered() -> None:
    source = parse("x = 1\n", "a.py")
    assert not is_sound(Fix("wrong", (Change((1, 4), (1, 5), "2"),)), source)
    assert not is_sound(Fix("broken", (Change((1, 4), (1, 5), "("),)), source)
    assert is_sound(Fix("right", (Change((1, 5), (1, 5), "  # one"),)), source)


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch, capsys) -> None:
    monkeypatch.setattr("xladoctor.cli.lsp.find_spec", lambda name: None)
    assert main(["lsp"]) == 2
    assert capsys.readouterr().err == f"xladoctor: lsp needs the library pygls\n  {how_to_install('lsp')}\n"


@pytest.mark.parametrize("args", [["--help"], ["lsp", "--help"]])
def test_no_other_command_loads_the_library(args) -> None:
    code = f"import sys; from xladoctor.__main__ import main; main({args!r}); print('pygls' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.endswith("False\n"), done.stdout[-200:] + done.stderr


def test_the_settings_on_the_page_are_well_formed() -> None:
    page = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)
    assert {"lua", "toml", "json"} <= {kind for kind, _ in blocks}
    for kind, text in blocks:
        if kind == "json":
            json.loads(text)
        elif kind == "toml" and sys.version_info >= (3, 11):
            import tomllib

            tomllib.loads(text)
        assert "xladoctor" in text
