"""The output folder of a study: never overwritten by accident, and a finished arm is never lost.

Each arm is one file, `arms/NAME.npz`, which appears when the arm is finished and not before. It holds the arm's
arrays, its metrics and the configuration that it was run with.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


def add_options(parser: argparse.ArgumentParser, default: str) -> None:
    """`--output-dir`, `--overwrite` and `--resume`."""
    parser.add_argument("--output-dir", type=Path, default=Path(default), help=f"(default {default})")
    parser.add_argument("--overwrite", action="store_true", help="use the output folder even if it is not empty")
    parser.add_argument("--resume", action="store_true", help="go on in the output folder: finished arms are kept")


def refusal(args: argparse.Namespace) -> str | None:
    """Why the output folder cannot be used, or None."""
    folder = args.output_dir
    if folder.exists() and not folder.is_dir():
        return f"{folder} is a file"
    if args.overwrite and args.resume:
        return "--overwrite and --resume exclude each other"
    if folder.is_dir() and any(folder.iterdir()) and not (args.overwrite or args.resume):
        return f"{folder} is not empty; use another --output-dir, or --overwrite, or --resume"
    return None


class ResumeError(ValueError):
    """The arms in the folder come from another configuration."""


@dataclass(frozen=True)
class Result:
    """A finished arm: its arrays by name, and its metrics."""

    arrays: Mapping[str, np.ndarray]
    metrics: dict[str, Any]


@dataclass(frozen=True)
class Arms:
    """The finished arms of a study.

    Attributes:
        folder: the output folder; made when the first arm is finished.
        configuration: all that the results depend on, as JSON can hold it.
        resume: take arms that are there.

    """

    folder: Path
    configuration: Mapping[str, Any]
    resume: bool

    def path(self, name: str) -> Path:
        """Where an arm's file is."""
        return self.folder / "arms" / f"{name}.npz"

    def finished(self, name: str) -> Result | None:
        """An arm that an earlier run has finished. Raises ResumeError if its configuration was another one."""
        if not (self.resume and self.path(name).is_file()):
            return None
        with np.load(self.path(name), allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        before = json.loads(str(arrays.pop("configuration")))
        now = json.loads(json.dumps(self.configuration))
        differ = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
        if differ:
            changes = ", ".join(f"{key} was {before.get(key)!r} and is {now.get(key)!r}" for key in differ)
            raise ResumeError(f"{self.path(name)} comes from another configuration: {changes}")
        return Result(arrays, json.loads(str(arrays.pop("metrics"))))

    def save(self, name: str, result: Result) -> None:
        """Write a finished arm; the file is there completely or not at all."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = {"metrics": json.dumps(result.metrics), "configuration": json.dumps(self.configuration)}
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            np.savez_compressed(file, **result.arrays, **texts)
        partial.replace(path)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON a person can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
