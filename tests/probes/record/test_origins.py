"""What an exception that ends a program came of."""

import sys

import pytest

from probes.record.origins import chain, passed_on

RAISED = {
    "from": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise RuntimeError('stage') from e\n",
    "from None": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise RuntimeError('stage') from None\n",
    "in the handler": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise RuntimeError('stage')\n",
    "handler fails": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['fallback']\n",
    "alone": "raise RuntimeError('stage')\n",
    "cancelled": "import asyncio\ntry:\n    raise asyncio.CancelledError\n"
    "except BaseException as e:\n    raise TimeoutError('slow') from e\n",
}


def raised(tmp_path, code):
    file = tmp_path / "program.py"
    file.write_text(code)
    try:
        exec(compile(code, str(file), "exec"), {})
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("how", "names"),
    [("from", ["ZeroDivisionError"]), ("from None", ["ZeroDivisionError"]), ("in the handler", ["ZeroDivisionError"]),
     ("handler fails", []), ("alone", []), ("cancelled", [])],
)  # fmt: skip
def test_what_it_passes_on(tmp_path, how, names):
    error = raised(tmp_path, RAISED[how])
    assert [type(e).__name__ for e in passed_on(error)] == names
    assert len(chain(error)) == (how != "alone")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="groups are new in 3.11")
def test_the_members_of_a_group_come_first_to_last(tmp_path):
    code = "found = []\nfor wrong in ('int(\"a\")', '{}[1]'):\n    try:\n        eval(wrong)\n"
    code += "    except Exception as e:\n        found.append(e)\nraise ExceptionGroup('two', found)\n"
    error = raised(tmp_path, code)
    assert [type(e).__name__ for e in passed_on(error)] == ["ValueError", "KeyError"]
