"""The `except` that will take an exception, from the frames that it has yet to pass."""

import sys

import pytest

from probes.record.caught import handler_of
from probes.record.frames import HIDDEN
from tests.probes.record.running import run_program

SOURCE = """\
def inner(x):
    with open(x):
        raise KeyError(x)
def stitch(x):
    try:
        return inner(x)
    except ValueError:
        return 1
    except (TypeError, errors.LookupError) as error:
        print(error)
        return None
    finally:
        print("done")
def outer(x):
    try:
        pass
    except KeyError:
        stitch(x)
try:
    outer(1)
except:
    y = None
"""


@pytest.mark.parametrize(
    ("error", "lines", "told"),
    [
        (KeyError(), [("<module>", 20), ("stitch", 6), ("inner", 3)], (9, "stitch", "None")),
        (ValueError(), [("<module>", 20), ("stitch", 6), ("inner", 3)], (7, "stitch", "1")),
        (OSError(), [("<module>", 20), ("stitch", 6), ("inner", 3)], (21, "<module>", None)),
        # Within a handler, and not in what it guards.
        (KeyError(), [("<module>", 20), ("outer", 18), ("stitch", 13)], (21, "<module>", None)),
        (KeyError(), [("inner", 3)], None),
    ],
)
def test_who_takes_it(tmp_path, error, lines, told):
    file = tmp_path / "program.py"
    file.write_text(SOURCE)
    frames = [{"file": str(file), "line": line, "function": name, "user": True} for name, line in lines]
    found = handler_of(error, [*frames, {"file": "library.py", "line": 1, "function": "f", "user": False}])
    assert (found and (found["line"], found["function"], found["gives"])) == told


def test_a_file_that_cannot_be_read_says_nothing(tmp_path):
    frames = [{"file": str(tmp_path / "none.py"), "line": 1, "function": "f", "user": True}]
    assert handler_of(ValueError(), frames) is None
    (tmp_path / "bad.py").write_text("def (:\n")
    assert handler_of(ValueError(), [{**frames[0], "file": str(tmp_path / "bad.py")}]) is None


@pytest.mark.parametrize(
    ("body", "keeps"),
    [("self.failed = True\n        raise", True), ("errors.append(e)\n        raise", True),
     ("log(e)\n        raise", False), ("self.failed = True", False)],
)  # fmt: skip
def test_a_handler_that_keeps_the_error_and_raises_it_on(tmp_path, body, keeps):
    file = tmp_path / "worker.py"
    file.write_text(f"def run(self):\n    try:\n        go()\n    except Exception as e:\n        {body}\n")
    found = handler_of(KeyError(), [{"file": str(file), "line": 3, "function": "run", "user": True}])
    assert found and found["keeps"] is keeps


@pytest.mark.parametrize(
    ("body", "turns"),
    [("log(e)\n            continue", True), ("print(e)\n            return first + 5", True), ("return None", False),
     ("traceback.print_exc()", False), ("return", False)],
)  # fmt: skip
def test_a_handler_that_takes_another_way(tmp_path, body, turns):
    file = tmp_path / "tiles.py"
    head = "def run():\n    for x in y:\n        try:\n            go()\n        except KeyError as e:\n            "
    file.write_text(f"{head}{body}\n")
    found = handler_of(KeyError(), [{"file": str(file), "line": 4, "function": "run", "user": True}])
    assert found and found["turns"] is turns


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_what_ends_a_process_of_multiprocessing_is_recorded_with_its_parent(tmp_path, way):
    """multiprocessing prints such an exception by itself; the parent sees an exit status only."""
    program = f"""
import multiprocessing, os, sys
def work(n):
    if n == 3:
        sys.exit(4)
    raise ValueError(f"no part {{n}}")
if __name__ == "__main__":
    children = [multiprocessing.get_context({way!r}).Process(target=work, args=(n,)) for n in (2, 3)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print([child.exitcode for child in children], os.getpid())
"""
    ran = run_program(tmp_path, program)
    statuses, _, parent = ran.stdout.partition("] ")
    assert (ran.status, statuses) == (0, "[1, 4")
    (raised, uncaught) = ran.of("failure")
    assert (raised["message"], raised["frames"][-1]["function"]) == ("no part 2", "work")
    assert (uncaught["state"], uncaught["ppid"]) == ("uncaught", int(parent))
    (tmp_path / "bare").mkdir()
    bare = run_program(tmp_path / "bare", program, probes=False)
    assert [line for line in ran.stderr.splitlines() if "File" not in line] == [
        line for line in bare.stderr.splitlines() if "File" not in line
    ]
    # Before Python 3.11, a bare raise puts back the frame that was taken off.
    shown = ran.stderr.count(f'File "{HIDDEN}"')
    assert shown == 0 or sys.version_info < (3, 11), "no frame of the recorder is shown"
    assert ran.stderr.count("File") == bare.stderr.count("File") + shown
