"""The same log as other tools show it: the class, the file and the line stay the same."""

import json
import textwrap
from pathlib import Path

import pytest

from benchmarks import disguises
from tests.xladoctor.rules.fixtures import LOGS
from xladoctor.logs.margins import shared_prefix
from xladoctor.saved import scan_logs

NAMES = (
    "real/2.21/constant_tile.log", "real/2.19/concat_graph.log", "real/2.21/concat_keras.log",
    "real/2.15/clustered_broadcast.log", "real/2.19/nan_check.log", "real/2.15/oom_jit.log",
)  # fmt: skip


def each(before):
    return lambda text: "".join(f"{before(i)}{line}\n" for i, line in enumerate(text.rstrip("\n").split("\n"), 1))


DISGUISES = {
    "Python's logging": each(lambda i: f"2024-03-01 12:00:{i % 60:02},123 ERROR train.runner: "),
    "a logger of two levels": each(lambda i: f"{'ERROR' if i % 3 else 'WARNING'} [trainer/{i}] "),
    "cat -n": each(lambda i: f"{i:6d}\t"),
    "nl": each(lambda i: f"{i:5d}  "),
    "milliseconds": each(lambda i: f"{1709290000123 + i}\t"),
    "an unknown logger": each(lambda i: f"<{i:04x}> job=7 pod=trainer-0 :: "),
    "ray": each(lambda i: "(train_fn pid=4711, ip=10.0.0.7) "),
    "repr": lambda text: repr(text) + "\n",
    "repr of bytes": lambda text: repr(text.encode()) + "\n",
    "indented below a sentence": lambda text: "It says:\n\n" + textwrap.indent(text, "    "),
    **{
        name: disguises.DISGUISES[name]
        for name in (
            "Spark",
            "a pod's log",
            "% comments",
            "launched",
            "one long line",
            "# comments of wrapped at 80",
            "GitHub's log of wrapped at 100",
        )
    },
}


def answer(path):
    found = scan_logs([path])
    root = next((f for f in found.findings if f.role == "root"), None)
    return root and (root.slug, root.location and (Path(root.location.file).name, root.location.line))


@pytest.mark.parametrize("name", NAMES)
def test_a_disguise_changes_nothing(name, tmp_path):
    text = (LOGS / name).read_text()
    log = tmp_path / "train.log"
    log.write_text(text)
    plain = answer(log)
    assert plain
    differing = {}
    for disguise, disguised in DISGUISES.items():
        log.write_text(disguised(text))
        if (said := answer(log)) != plain:
            differing[disguise] = said
    assert not differing, plain


@pytest.mark.parametrize("name", ["real/2.21/embedding.log", "real/2.21/input_key.log", "real/2.21/nan_check.log"])
@pytest.mark.parametrize("disguise", ["cut in the middle", "launched", "retried"])
def test_what_stands_around_a_message_or_is_cut_out_does_not_hide_it(name, disguise, tmp_path):
    log = tmp_path / "train.log"
    log.write_text((LOGS / name).read_text())
    plain = answer(log)
    log.write_text(disguises.DISGUISES[disguise]((LOGS / name).read_text()))
    assert answer(log) == plain


def test_what_a_terminal_is_told_between_the_lines_is_no_part_of_them(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(disguises.DISGUISES["Buildkite's log"]((LOGS / "real/2.19/healthy_caught.log").read_text()))
    assert not [found for found in scan_logs([log]).findings if found.level == "error"]


def test_a_launchers_error_is_the_root_where_its_child_went_on(tmp_path):
    log = tmp_path / "train.log"
    child = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nKeyError: 'a'\n"
    work = "".join(f"Epoch {i}/40\n10/10 - 1s - loss: 0.5\n" for i in range(1, 41))
    log.write_text(disguises.launched(child + work))
    assert "CalledProcessError" in scan_logs([log]).findings[0].message
    log.write_text(disguises.launched(child))
    assert "KeyError" in scan_logs([log]).findings[0].message


def test_a_prefix_is_learned_from_most_lines_only():
    lines = ["12 [a] Traceback (most recent call last):", '13 [a]   File "f.py", line 3, in f', "14 [a] ValueError: no"]
    found = shared_prefix(lines)
    assert found and [line[found.match(line).end() :] for line in lines] == [
        "Traceback (most recent call last):", '  File "f.py", line 3, in f', "ValueError: no",
    ]  # fmt: skip
    assert shared_prefix([lines[0], *"xyz"]) is None
    assert (
        shared_prefix(["Traceback (most recent call last):", '  File "f.py", line 3, in f', "ValueError: no"]) is None
    )
    assert shared_prefix([]) is None


CUT_HEAD = """\
/tmp/ipykernel_11/97965847.py in train(model)
     30     )
---> 31     model.fit(
     32         train,

/usr/local/lib/python3.11/dist-packages/keras/src/utils/traceback_utils.py in error_handler(*args, **kwargs)
--> 122             raise e.with_traceback(filtered_tb) from None

ValueError: A `Concatenate` layer requires inputs with matching shapes. Received: [(None, 13, 192), (None, 6, 192)]
"""
ONE_LINE = (
    'Traceback (most recent call last): File "/home/ada/check.py", line 13, in <module> a = f(x) File '
    '"/usr/lib/python3.10/site-packages/tensorflow/python/framework/ops.py", line 6027, in raise_it raise e '
    "tensorflow.python.framework.errors_impl.InvalidArgumentError: Incompatible shapes: [2,3] vs. [4] [Op:Mul] name:"
)
TENSORFLOW_1 = """\
InvalidArgumentError (see above for traceback): Incompatible shapes: [32,10] vs. [32,12]
  [[node loss/sub (defined at /home/ada/study/losses.py:68) ]]
"""


@pytest.mark.parametrize(
    ("text", "slug", "place"),
    [
        (CUT_HEAD, "concat-pack-mismatch", ("97965847.py", 31)),
        (ONE_LINE, "broadcast-mismatch", ("check.py", 13)),
        (TENSORFLOW_1, "broadcast-mismatch", ("losses.py", 68)),
        ("'''" + TENSORFLOW_1, "broadcast-mismatch", ("losses.py", 68)),
    ],
)
def test_what_is_left_of_a_traceback_still_names_the_line(text, slug, place, tmp_path):
    log = tmp_path / "train.log"
    log.write_text(text)
    assert answer(log) == (slug, place)


def test_a_message_is_the_sentence_above_the_mark_of_its_node(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(
        "data.shape = [32] does not start with segment_ids.shape = [64]\n\t [[{{node Sum_1}}]] [Op:__inference_f_2]\n"
    )
    found = scan_logs([log])
    assert found.findings and "segment_ids.shape = [64]" in json.dumps([f.message for f in found.findings])
