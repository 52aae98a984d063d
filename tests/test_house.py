"""The import rules of the house (docs/architecture.md), held by reading the source; and a proof that each can fail."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TENSORFLOW = ("tensorflow", "keras", "tf_keras", "jax", "torch")


@dataclass(frozen=True)
class Import:
    """One import in one file, as a dotted name that is as long as can be known."""

    file: Path
    line: int
    name: str
    typing_only: bool = False
    lazy: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.name}"

    def of(self, *modules: str) -> bool:
        return any(self.name == module or self.name.startswith(f"{module}.") for module in modules)


def imports(root: Path, folder: str) -> Iterator[Import]:
    """Every import in every file below `folder`, also by `importlib.import_module` and `__import__`."""
    start = root / folder
    for file in [start] if start.is_file() else sorted(start.rglob("*.py")):
        yield from _imports_in(file.read_text(encoding="utf-8"), file.relative_to(root))


@cache
def _imports_in(text: str, file: Path) -> tuple[Import, ...]:
    """A dozen rules ask for the imports of the same files."""
    return tuple(_imports_of(ast.parse(text), file))


def _imports_of(tree: ast.Module, file: Path) -> Iterator[Import]:
    package = ".".join(file.with_suffix("").parts[:-1])
    for node, typing_only, lazy in _walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__") and node.args:
            said = node.args[0]
            names = [said.value] if isinstance(said, ast.Constant) and isinstance(said.value, str) else []
        for name in names:
            yield Import(file, node.lineno, name, typing_only, lazy)


def _walk(node: ast.AST, typing_only: bool = False, lazy: bool = False) -> Iterator[tuple[ast.AST, bool, bool]]:
    for child in ast.iter_child_nodes(node):
        yield child, typing_only, lazy
        inside = typing_only or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test))
        later = lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk(child, inside, later)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


# The rules. Each takes the root of a tree and yields what breaks it. ------------------------------------------------


def doctor_never_imports_the_patient(root: Path) -> Iterator[str]:
    for found in imports(root, "xladoctor"):
        if found.of(*TENSORFLOW, "ptycho"):
            yield str(found)


def doctor_knows_of_the_probes_only_what_both_share(root: Path) -> Iterator[str]:
    for found in imports(root, "xladoctor"):
        names = ("schema", "redaction", "protocol")
        ours = [f"{root}.{name}" for root in ("probes", "xladoctor._probes") for name in names]
        if found.of("probes", "xladoctor._probes") and not found.of(*ours):
            yield str(found)


def what_both_share_stands_alone(root: Path) -> Iterator[str]:
    """It runs in the target or a worker, and the doctor loads it from its file."""
    for name in ("redaction", "protocol"):
        for found in imports(root, f"probes/{name}"):
            if found.of("xladoctor", "ptycho") or (found.of("probes") and not found.of(f"probes.{name}")):
                yield str(found)


def probes_stand_alone(root: Path) -> Iterator[str]:
    for found in imports(root, "probes"):
        if found.of("xladoctor", "ptycho"):
            yield str(found)


def the_model_stands_alone(root: Path) -> Iterator[str]:
    for found in imports(root, "ptycho"):
        if found.of("xladoctor", "probes"):
            yield str(found)


def the_way_in_is_standard_library(root: Path) -> Iterator[str]:
    for place in ("probes/bootstrap", "probes/schema.py", "probes/redaction", "probes/protocol"):
        for found in imports(root, place):
            if found.name.partition(".")[0] not in {*sys.stdlib_module_names, "probes"}:
                yield str(found)


def recorders_wait_for_the_targets_tensorflow(root: Path) -> Iterator[str]:
    for found in imports(root, "probes/record"):
        if found.of(*TENSORFLOW) and not (found.lazy or found.typing_only):
            yield f"{found} when it is loaded"


MAY_IMPORT = {
    # From the values up to the command line: a room imports what stands above it here, and so there is no circle.
    "xladoctor/model": (),
    "xladoctor/logs": ("model",),
    "xladoctor/target": ("model", "descriptors"),
    "xladoctor/recording": ("model", "logs", "paths"),
    "xladoctor/rules": ("model", "recording"),
    "xladoctor/sources": ("model",),
    "xladoctor/lint": ("model", "rules", "sources"),
    "xladoctor/edits": ("model", "recording", "sources"),
    "xladoctor/blame": ("model", "logs", "recording", "sources", "lint", "edits"),
    "xladoctor/diagnosis": ("model", "logs", "recording", "rules", "sources"),
    "xladoctor/saved.py": ("model", "logs", "recording", "rules", "diagnosis", "blame", "edits"),
    "xladoctor/workers": ("model", "logs", "recording", "rules", "diagnosis", "paths"),
    "xladoctor/cluster": ("workers",),
    "xladoctor/survey": ("model", "recording", "rules", "saved"),
    "xladoctor/fleet": ("model", "recording", "rules", "saved", "survey"),
    "xladoctor/report": ("model", "recording.files", "rules", "survey.table", "survey.columns", "fleet.table"),
    "xladoctor/trackers": ("model", "report"),
    "xladoctor/excerpts.py": ("model", "recording", "diagnosis", "report"),
    "xladoctor/experiments": (
        *("model", "recording", "rules", "sources", "diagnosis", "target", "workers", "report", "paths", "blame"),
        "edits",
    ),
    "xladoctor/preflight": (
        *("model", "recording", "rules", "diagnosis", "target", "workers", "report", "experiments", "saved", "paths"),
        *("cluster",),
    ),
    "xladoctor/commands": (
        *("model", "logs", "recording", "rules", "diagnosis", "target", "workers", "report", "experiments", "saved"),
        *("survey", "fleet", "cluster", "excerpts", "paths"),
    ),
    "xladoctor/agents": ("model", "logs", "recording", "rules", "lint", "report", "saved", "commands", "paths"),
    "xladoctor/editors": ("model", "rules", "sources", "lint", "report"),
    "xladoctor/attach": ("model", "logs", "recording", "report"),
    "xladoctor/api.py": ("model", "saved", "commands", "report", "excerpts"),
    "xladoctor/notebook.py": ("recording", "commands", "api"),
    "xladoctor/shape_checks.py": ("diagnosis",),
    "xladoctor/pytest_diagnosis.py": ("rules", "commands", "api"),
    "xladoctor/pytest_plugin.py": ("pytest_diagnosis", "shape_checks"),
    "xladoctor/cli": (
        *("model", "logs", "recording", "rules", "diagnosis", "lint", "workers", "report", "experiments", "saved"),
        *("survey", "preflight", "commands", "excerpts", "descriptors", "paths", "agents", "editors", "attach"),
        *("trackers", "cluster"),
    ),
}
"""What each room may import, besides itself and the modules that belong to none."""
_EVERYWHERE = ("folder", "errors", "extras", "machine", "patterns", "secrets", "protocol", "__version__")


def the_keeper_is_standard_library(root: Path) -> Iterator[str]:
    for found in imports(root, "xladoctor/target/keeper"):
        if not found.of(*sys.stdlib_module_names, "xladoctor.target.keeper"):
            yield str(found)


def rooms_keep_to_their_neighbours(root: Path) -> Iterator[str]:
    for room, allowed in MAY_IMPORT.items():
        own = room.removesuffix(".py").replace("/", ".").removeprefix("xladoctor.")
        ours = [f"xladoctor.{name}" for name in (own, *allowed, *_EVERYWHERE)]
        for found in imports(root, room) if (root / room).exists() else ():
            if found.of("xladoctor") and found.name != "xladoctor" and not found.of(*ours):
                yield str(found)


def nothing_prints_but_the_edges(root: Path) -> Iterator[str]:
    for room in ("model", "rules", "diagnosis", "logs", "recording", "report", "lint"):
        for file in sorted((root / "xladoctor" / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                printed = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
                stream = isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr")
                if printed or (stream and isinstance(node.value, ast.Name) and node.value.id == "sys"):
                    yield f"{file.relative_to(root)}:{node.lineno} writes to the terminal"


SERVERS = tuple(Path(name) for name in ("xladoctor/agents/server.py", "xladoctor/editors/server.py"))
"""What is loaded only by the command that needs the library."""


def doctor_starts_light(root: Path) -> Iterator[str]:
    for found in imports(root, "xladoctor"):
        if (
            found.of("numpy", "pandas", "pydantic", "mcp", "pygls", "mlflow", "wandb", "tensorboard")
            and found.file not in SERVERS
            and not (found.lazy or found.typing_only)
        ):
            yield f"{found} when it is loaded"


FOREIGN_ROOMS = (
    *("xladoctor/recording/run.py", "xladoctor/recording/replays.py", "xladoctor/recording/output.py"),
    *("xladoctor/recording/kernel_cells.py",),
    *("xladoctor/recording/mark.py", "xladoctor/workers/subject.py", "xladoctor/workers/journal.py"),
    *("xladoctor/experiments/request.py", "xladoctor/experiments/analyse.py", "xladoctor/recording/run_folder.py"),
    *("xladoctor/model/replay_reader.py", "xladoctor/experiments/places.py", "xladoctor/experiments/flip.py"),
    *(
        "xladoctor/survey",
        "xladoctor/saved.py",
        "xladoctor/commands/scan.py",
        "xladoctor/diagnosis",
        "xladoctor/preflight/study.py",
    ),
    *("xladoctor/report/template.py", "probes/graph/load.py", "probes/graph/safety.py"),
)
"""What reads, or writes into, folders that a stranger may have made."""

READERS = frozenset(
    {"read_text", "read_bytes", "write_text", "write_bytes", "open", "glob", "rglob", "iterdir", "load", "loads"}
    | {"decompress", "fromfile", "safe_load", "exists"}
)
OWN = {
    # The user's key, in the user's home.
    ("xladoctor/recording/mark.py", "open"), ("xladoctor/recording/mark.py", "read_bytes"),
    ("xladoctor/recording/mark.py", "exists"),
    # The journal that is gone on with, opened with O_NOFOLLOW.
    ("xladoctor/workers/journal.py", "open"),
    # A new run folder, and text that was read already.
    ("xladoctor/recording/run_folder.py", "iterdir"), ("xladoctor/experiments/places.py", "loads"),
    ("xladoctor/preflight/study.py", "load"), ("xladoctor/preflight/study.py", "loads"),
    ("xladoctor/experiments/request.py", "loads"),
    # Whether a name stands for anything.
    ("xladoctor/workers/subject.py", "exists"), ("xladoctor/experiments/request.py", "exists"),
    # Arrays, from bytes that were read already; our own list.
    ("probes/graph/load.py", "load"), ("probes/graph/safety.py", "read_text"),
}  # fmt: skip


def foreign_files_have_one_reader(root: Path) -> Iterator[str]:
    for room in FOREIGN_ROOMS:
        start = root / room
        for file in [start] if start.is_file() else sorted(start.rglob("*.py")):
            name = str(file.relative_to(root))
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                # What comes from another module of ours (`files.read`, `places.find`) has another name.
                if isinstance(node, ast.Call) and _called(node) in READERS and (name, _called(node)) not in OWN:
                    yield f"{name}:{node.lineno} calls {_called(node)}, not recording.files (probes: files)"


LONGEST_FILE, LONGEST_FUNCTION = 400, 60
"""Lines. What is longer holds more than one thing: take it apart where the things meet, and name each."""
LONGER: dict[str, int] = {}
"""Files and functions ("file:function") that were longer when the limits were set. This list may only shrink."""


def lengths(root: Path) -> Iterator[tuple[str, str, int, int]]:
    """(name, place, lines, limit) of every file and every function of the product."""
    for room in ("xladoctor", "probes"):
        for path in sorted((root / room).rglob("*.py")):
            yield from _lengths_in(path.read_text(encoding="utf-8"), str(path.relative_to(root)))


@cache
def _lengths_in(text: str, file: str) -> tuple[tuple[str, str, int, int], ...]:
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    sizes = [(node, (node.end_lineno or node.lineno) - node.lineno + 1) for node in functions]
    return (
        (file, f"{file}:1", len(text.splitlines()), LONGEST_FILE),
        *((f"{file}:{n.name}", f"{file}:{n.lineno}", lines, LONGEST_FUNCTION) for n, lines in sizes),
    )


def files_and_functions_can_be_overlooked(root: Path) -> Iterator[str]:
    for name, place, lines, limit in lengths(root):
        if lines > LONGER.get(name, limit):
            yield f"{place} {name} has {lines} lines, {LONGER.get(name, limit)} at most"


RULES: dict[Callable[[Path], Iterator[str]], list[tuple[str, str]]] = {
    doctor_never_imports_the_patient: [
        ("xladoctor/cli/scan.py", "def f():\n    import tensorflow as tf"),
        ("xladoctor/experiments/x.py", "from ptycho import params"),
        ("xladoctor/recording/x.py", "import importlib\nimportlib.import_module('keras.layers')"),
        ("xladoctor/x.py", "__import__('tensorflow')"),
    ],
    doctor_knows_of_the_probes_only_what_both_share: [
        ("xladoctor/recording/x.py", "from probes import compat"),
        ("xladoctor/recording/x.py", "import probes.graph.worker"),
        ("xladoctor/recording/x.py", "from .._probes import record"),
    ],
    what_both_share_stands_alone: [
        ("probes/redaction/x.py", "from ..schema import START"),
        ("probes/redaction/x.py", "from xladoctor import errors"),
        ("probes/protocol/x.py", "from ..graph import service"),
    ],
    probes_stand_alone: [
        ("probes/record/x.py", "from xladoctor.diagnosis import model"),
        ("probes/graph/x.py", "def f():\n    from ptycho import params"),
    ],
    the_model_stands_alone: [
        ("ptycho/x.py", "import probes"),
        ("ptycho/workflows/x.py", "from xladoctor import session"),
    ],
    the_way_in_is_standard_library: [
        ("probes/bootstrap/sitecustomize.py", "import numpy"),
        ("probes/schema.py", "import yaml"),
        ("probes/redaction/x.py", "import numpy"),
        ("probes/protocol/x.py", "import numpy"),
    ],
    recorders_wait_for_the_targets_tensorflow: [
        ("probes/record/x.py", "import tensorflow"),
        ("probes/record/x.py", "try:\n    from keras import layers\nexcept ImportError:\n    pass"),
    ],
    rooms_keep_to_their_neighbours: [
        ("xladoctor/report/x.py", "from xladoctor.diagnosis.engine import diagnose"),
        ("xladoctor/report/x.py", "from ..cli import scan"),
        ("xladoctor/rules/x.py", "from xladoctor import experiments"),
        ("xladoctor/model/x.py", "from xladoctor.diagnosis import engine"),
        ("xladoctor/workers/x.py", "def f():\n    from xladoctor.experiments import sweep"),
        ("xladoctor/survey/x.py", "from xladoctor.commands.scan import survey"),
        ("xladoctor/experiments/x.py", "from xladoctor.saved import scan_run"),
        ("xladoctor/preflight/x.py", "from xladoctor.cli import options"),
        ("xladoctor/commands/x.py", "from xladoctor.preflight import run"),
        ("xladoctor/agents/x.py", "from xladoctor.cli import options"),
        ("xladoctor/saved.py", "from xladoctor.workers import bench"),
        ("xladoctor/recording/x.py", "from xladoctor.diagnosis import engine"),
        ("xladoctor/diagnosis/x.py", "from xladoctor.report import text"),
    ],
    nothing_prints_but_the_edges: [
        ("xladoctor/rules/x.py", "print('x')"),
        ("xladoctor/diagnosis/x.py", "import sys\nsys.stderr.write('x')"),
        ("xladoctor/report/x.py", "import sys\nout = sys.stdout"),
    ],
    the_keeper_is_standard_library: [
        ("xladoctor/target/keeper/x.py", "from xladoctor.errors import XladoctorError"),
        ("xladoctor/target/keeper/x.py", "def f():\n    import rich"),
    ],
    foreign_files_have_one_reader: [
        ("xladoctor/recording/run.py", "from pathlib import Path\nPath('run.json').read_text()"),
        ("xladoctor/workers/subject.py", "import json\njson.loads('{}')"),
        ("xladoctor/survey/x.py", "open('x')"),
        ("xladoctor/diagnosis/x.py", "list(folder.glob('*'))"),
        ("probes/graph/load.py", "import gzip\ngzip.decompress(b'')"),
    ],
    files_and_functions_can_be_overlooked: [
        ("xladoctor/experiments/x.py", "x = 1\n" * 401),
        ("probes/record/x.py", "class A:\n    async def f(self):\n" + "        pass\n" * 60),
        ("xladoctor/cli/x.py", "def f():\n    def g():\n" + "        pass\n" * 59 + "    return g"),
        ("xladoctor/blame/layers.py", "x = 1\n" * 418),
    ],
    doctor_starts_light: [
        ("xladoctor/experiments/x.py", "import pandas as pd"),
        ("xladoctor/cli/x.py", "from numpy import array"),
        ("xladoctor/agents/tools.py", "from mcp.server.mcpserver import MCPServer"),
        ("xladoctor/trackers/x.py", "import mlflow"),
    ],
}

ALLOWED = [
    ("xladoctor/recording/x.py", "from probes import schema\nfrom probes.schema import START"),
    ("xladoctor/recording/x.py", "from probes.redaction import of_text"),
    ("probes/redaction/x.py", "import re\nfrom . import names\nfrom .values import is_path"),
    ("xladoctor/report/x.py", "from xladoctor.model.diagnosis import Finding\nfrom .text import md\nimport json"),
    ("xladoctor/experiments/x.py", "def f():\n    import pandas\nfrom xladoctor.recording.evidence import Evidence"),
    ("xladoctor/cli/x.py", "print('fine')"),
    ("xladoctor/cli/y.py", "def f():\n" + "    pass\n" * 59 + "x = 1\n" * 340),
    ("probes/record/x.py", "def f():\n    import tensorflow\nfrom . import sink"),
    ("probes/bootstrap/sitecustomize.py", "import sys, os.path"),
    ("ptycho/x.py", "import tensorflow as tf"),
]


def tree(root: Path, files: list[tuple[str, str]]) -> Path:
    for name in ("xladoctor", "probes/bootstrap", "probes/record", "probes/redaction", "probes/protocol", "ptycho"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "probes/schema.py").touch()
    for name, text in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house(rule):
    assert list(rule(ROOT)) == []


@pytest.mark.parametrize(
    ("rule", "file", "text"),
    [
        pytest.param(rule, *case, id=f"{rule.__name__}-{n}")
        for rule, cases in RULES.items()
        for n, case in enumerate(cases)
    ],
)
def test_that_the_rule_can_fail(rule, file, text, tmp_path):
    [said] = list(rule(tree(tmp_path, [(file, text)])))
    assert said.startswith(f"{file}:")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_that_the_rule_can_be_kept(rule, tmp_path):
    assert list(rule(tree(tmp_path, ALLOWED))) == []


def test_that_what_may_be_longer_still_is():
    """A file that was taken apart leaves the list, and one that got shorter may not grow again."""
    lines = {name: lines for name, _, lines, limit in lengths(ROOT) if lines > limit}
    assert lines == LONGER


def test_that_the_order_of_the_rooms_has_no_circle():
    rooms = [room.removesuffix(".py").removeprefix("xladoctor/") for room in MAY_IMPORT]
    for room, allowed in MAY_IMPORT.items():
        above = rooms[: rooms.index(room.removesuffix(".py").removeprefix("xladoctor/"))]
        assert {name.partition(".")[0] for name in allowed} <= {*above, "descriptors", "paths"}, room
    folders = {f.name for f in (ROOT / "xladoctor").iterdir() if f.is_dir() and any(f.rglob("*.py"))}
    assert folders - {"_probes"} == {room for room in rooms if (ROOT / "xladoctor" / room).is_dir()}


def test_that_every_room_is_read():
    for folder in ("xladoctor", "xladoctor/report", "probes", "probes/record", "probes/bootstrap", "ptycho"):
        assert list(imports(ROOT, folder)), folder
