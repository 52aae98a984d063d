"""Names of the folders in a rehearsal's run folder that hold the user's own files.

They begin with a dot, since tools that walk through a project leave out such folders without being told: pytest, mypy,
pyright. Else plain `pytest` in the project would collect the tests of each copy, and stop at "import file mismatch". A
`conftest.py` that has them ignored would also act in a rehearsal of pytest itself. Tools that heed `.gitignore` or
`.ignore`, such as black and ruff, find both in `xladoctor-runs` (`run_folder.IGNORED`).
"""

from pathlib import Path

WORK = ".work"
"""The copy of the working directory."""
SCRIPT = ".script"
"""The copy of the script's folder, where that is another."""
TEMPORARY = ".tmp"
"""What the rehearsal has as TMPDIR."""
ALL = (WORK, SCRIPT, TEMPORARY)


def remove(folder: Path) -> None:
    """Remove the copies from the run folder of a rehearsal."""
    import shutil  # which every start would wait for

    for part in ALL:
        shutil.rmtree(folder / part, ignore_errors=True)
