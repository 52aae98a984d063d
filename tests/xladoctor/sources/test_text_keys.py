"""Numbered names in a file, read in the order of text: the program writes more than ten, without a width."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.slips import text_keys

SAVE = """
def save(path, scans):
    out = {}
    for n, scan in enumerate(scans):
        out[f"scan_{n}"] = scan
    np.savez(path, **out)
scans = make()
save("a.npz", scans)
"""
STORE = """
def store(path, many):
    with h5py.File(path, "w") as box:
        for n in range(many):
            box.create_dataset("scan_%d" % n, data=draw(n))
store("a.h5", 40)
"""
READ = """
def read(path):
    with np.load(path) as f:
        names = sorted(k for k in f.files if k.startswith("scan_"))
        return np.stack([f[k] for k in names])
"""
READ_ALL = """
def read(path):
    box = h5py.File(path)
    out = []
    for key in sorted(box.keys()):
        out.append(box[key][:])
    return out
"""
WRONG = {
    "chosen by their beginning": (SAVE + READ, "names = sorted("),
    "all names of a file": (STORE + READ_ALL, "in sorted("),
    "as a dict, at once": (
        "scans = make()\nnp.savez('a', **{'scan_' + str(i): s for i, s in enumerate(scans)})\n"
        "f = np.load('a.npz')\nrows = np.array([f[k] for k in sorted(f)])\n", "sorted(f)"),
}  # fmt: skip
RIGHT = {
    "a width": SAVE.replace("{n}", "{n:03d}") + READ,
    "nine": STORE.replace("40", "9") + READ_ALL,
    "all with three digits": STORE.replace("range(many)", "range(100, many)").replace("40", "140") + READ_ALL,
    "by number": SAVE + READ.replace('sorted(k for k in f.files if k.startswith("scan_"))', "sorted(f, key=by_number)"),
    "numbers are read": SAVE + READ.replace("return", "at = [int(k[5:]) for k in names]\n        return"),
    "a mean of all": SAVE + READ.replace("np.stack([f[k] for k in names])", "np.mean([f[k] for k in names], axis=0)"),
    "by name again": SAVE + READ_ALL.replace("[]", "{}").replace("out.append(box[key][:])", "out[key] = box[key]"),
    "other names": SAVE + READ.replace("scan_", "mask_"),
    "not from a file": SAVE + READ.replace("np.load(path)", "table(path)"),
    "printed": SAVE + READ.replace("np.stack([f[k] for k in names])", "print(names)"),
}  # fmt: skip


def _lines(text: str) -> list[int]:
    tree = ast.parse(text)
    held = {("<module>", "scans"): Held("array", (30, 4, 4), "float32")}
    return [slip.line for slip in text_keys.faults(View("a.py", tree, Backward({"a.py": tree}), held))]


@pytest.mark.parametrize("name", WRONG)
def test_names_in_the_order_of_text(name):
    text, at = WRONG[name]
    assert _lines(text) == [next(n for n, line in enumerate(text.splitlines(), 1) if at in line)]


@pytest.mark.parametrize("name", RIGHT)
def test_names_that_are_in_order_or_have_none(name):
    assert _lines(RIGHT[name]) == []
