"""The copy of a working directory: what is copied, what is linked, and that no link leads back to where it stands."""

from __future__ import annotations

import os

from xladoctor.experiments import overlay


def test_a_copy_within_the_directory_has_no_circle(tmp_path):
    root = tmp_path / "study"
    runs = root / "xladoctor-runs"
    for name in (".git", "src", "xladoctor-runs"):
        (root / name).mkdir(parents=True)
    (root / "src" / "train.py").write_text("print()\n")
    for number in range(3):  # each copy would lead to all the others
        overlay.make(overlay.look(root), runs / str(number) / "work")
    copy = runs / "0" / "work"
    assert (copy / "src" / "train.py").read_text() == "print()\n" and (copy / ".git").is_symlink()
    assert not (copy / "xladoctor-runs").exists()
    assert sum(len(files) for _, _, files in os.walk(root, followlinks=True)) == 4


def test_a_copy_elsewhere_links_it(tmp_path):
    (tmp_path / "study" / "xladoctor-runs" / "one").mkdir(parents=True)
    overlay.make(overlay.look(tmp_path / "study"), tmp_path / "copy")
    assert (tmp_path / "copy" / "xladoctor-runs" / "one").is_dir()
