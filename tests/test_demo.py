"""`make demo` keeps what it recorded."""

from __future__ import annotations

from tests.demo import numbered


def test_every_demo_has_a_folder_of_its_own(tmp_path):
    first = numbered(tmp_path / "demo-output")
    (first / "kept").write_text("")
    (tmp_path / "demo-output" / "notes").mkdir()
    (tmp_path / "demo-output" / "9").mkdir()
    assert first.name == "1" and numbered(tmp_path / "demo-output").name == "10"
    assert (first / "kept").exists()
