"""`%%xladoctor` in a real kernel: the cell runs as any other, and its diagnosis stands below its traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat
import pytest

from xladoctor.notebook import options_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
LOG = "ValueError: Cannot reshape a tensor with 21 elements to shape [4,5] (20 elements) for '{{node Reshape}}'"
SHOWN = re.findall(r"^```ipython\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
"""The cells that the page shows; the last of them fails."""
HOOKED = "type(step).__call__.__code__.co_filename == '<xladoctor>'"
CELLS = (
    *SHOWN,
    f"{HOOKED}, kept",
    f"%%xladoctor\nimport asyncio\nawait asyncio.sleep(0)\n{HOOKED}",
    "%%time\n%%xladoctor\n1",
    "%%xladoctor --nonsense\n1",
    "%%xladoctor\ndef broken(:",
    f"from xladoctor import api\napi.diagnose(text={LOG!r})",
    "%%xladoctor\n!exit 3",
    "%unload_ext xladoctor",
    "%%xladoctor\n1",
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    before = dict(os.environ)
    os.environ.update(PYTHONPATH=str(ROOT), TF_CPP_MIN_LOG_LEVEL="3")
    try:
        client = nbclient.NotebookClient(
            notebook, timeout=300, allow_errors=True, resources={"metadata": {"path": str(folder)}}
        )
        client.execute()
    finally:
        os.environ.clear()
        os.environ.update(before)
    return [cell.outputs for cell in notebook.cells], folder


def text(outputs: list) -> str:
    """What a person sees of the outputs, without colours."""
    parts = []
    for output in outputs:
        if output.output_type == "error":
            parts.append("\n".join(output.traceback))
        else:
            parts.append(output.get("text") or output.data["text/plain"])
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(parts))


FAILS = len(SHOWN) - 1


@pytest.mark.slow
def test_the_diagnosis_stands_below_the_normal_traceback(ran):
    outputs, _ = ran
    shown = [o for o in outputs[FAILS] if o.output_type != "stream"]
    assert [o.output_type for o in shown] == ["error", "display_data"]
    traceback = text(shown[:1])
    assert re.search(rf"Cell In ?\[{FAILS + 1}\], line \d+", traceback)
    assert "xladoctor" not in traceback.replace("%%xladoctor", ""), "no frame of ours"
    assert shown[1].data["text/html"].startswith("<iframe sandbox=")


@pytest.mark.slow
def test_the_place_is_a_cell_and_a_line_in_it(ran):
    outputs, _ = ran
    shown = text(outputs[FAILS][-1:])
    lines = CELLS[FAILS].splitlines()
    place = re.search(r"notebook: cell (\d+), line (\d+)", shown)
    assert place is not None, shown
    source = CELLS[int(place[1]) - 1].splitlines()[int(place[2]) - 1].strip()
    assert "tf.reshape" in source and f"| {source}" in re.sub(r" +", " ", shown)
    assert "ipykernel_" not in shown and lines[0].startswith("%%xladoctor")


@pytest.mark.slow
def test_the_page_shows_what_the_cells_show(ran):
    came = " ".join(text(ran[0][FAILS][-1:]).split())
    shown = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    at = 0
    for part in shown.split("...\n"):
        found = came.find(" ".join(part.split()), at)
        assert found >= at, f"{part}\n-- is not in --\n{came}"
        at = found


@pytest.mark.slow
def test_names_of_the_cell_are_the_users_and_the_hooks_are_gone(ran):
    outputs, _ = ran
    assert text(outputs[FAILS + 1]) == "(False, 'a name of the cell')"


@pytest.mark.slow
def test_a_cell_that_is_well_says_so_in_one_line_and_may_wait(ran):
    shown = text(ran[0][FAILS + 2])
    assert "xladoctor: no finding" in shown and "True" in shown, "the value of its last line, seen under the watch"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "words"),
    [(3, "must be the first line of its cell"), (4, "unrecognized arguments: --nonsense"), (5, "SyntaxError")],
)
def test_what_is_wrong_with_a_cell_is_said(ran, number, words):
    assert words in text(ran[0][FAILS + number])
    assert "no finding" not in text(ran[0][FAILS + number])


@pytest.mark.slow
def test_wrong_options_are_one_line(ran):
    assert [output.output_type for output in ran[0][FAILS + 4]] == ["stream"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "said"), [(2, False), (7, True)])
def test_a_command_of_the_shell_is_not_seen_from_a_cell(ran, number, said):
    shown = text(ran[0][FAILS + number])
    assert "no finding" in shown and ("!xladoctor scan -- CMD" in shown) == said


@pytest.mark.slow
def test_a_diagnosis_shows_itself(ran):
    shown = ran[0][FAILS + 6][0].data
    assert shown["text/html"].startswith("<iframe") and "XD301" in shown["text/plain"]


@pytest.mark.slow
def test_unloaded_it_is_no_magic_any_more(ran):
    assert "not found" in text(ran[0][FAILS + 9])


@pytest.mark.slow
def test_the_run_folder_gives_the_same_cells_later(ran):
    _, folder = ran
    from xladoctor import api

    runs = sorted((folder / "xladoctor-runs").glob("2*"), key=lambda run: (run / "run.json").stat().st_mtime_ns)
    found = api.diagnose(runs[0])
    assert found.root.location.cell and "tf.reshape" in str(found)


@pytest.mark.parametrize("line", ["%%xladoctor --nonsense", "%%xladoctor 'open", "%%xladoctor --check-budget soon"])
def test_wrong_options(line):
    with pytest.raises(SyntaxError, match="%%xladoctor: "):
        options_of(line)


def test_importing_needs_no_ipython():
    code = "import sys, xladoctor, xladoctor.notebook; print('IPython' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
