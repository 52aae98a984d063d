"""Run folders made by hand: what the probes and a worker would have written, in a few lines a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

PID = 7
SHIFT = "x (B N), k (B) -> (B N)"


def give_sources(monkeypatch: pytest.MonkeyPatch, texts: Mapping[str, str]) -> None:
    """The sources of every run folder are these, by their files; the first one is the script."""

    class Sources:
        scripts = (Path(next(iter(texts))),)
        cwd = scripts[0].parent

        def text(self, file: Path, followed: bool = False) -> tuple[str | None, str]:
            return texts.get(str(file)), ""

    monkeypatch.setattr("xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources())


class Run:
    """Collects events, capsules and answers; `write` makes the folder of them."""

    def __init__(self, **run: Any) -> None:
        self.run = {"schema": "xladoctor.run/1", "command": ["python", "train.py"], "pid": PID, **run}
        self.run.setdefault("outcome", {"state": "exited", "code": 0, "probes": "recorded"})
        self.events: list[dict[str, Any]] = []
        self.capsules: dict[str, dict[str, Any]] = {}
        self.recipes: dict[str, dict[str, Any]] = {}
        self.worker: list[dict[str, Any]] = []
        self.places: dict[str, Any] | None = None
        self.event("start", schema="xladoctor.events/1", argv=["python", "train.py"], executable="/usr/bin/python3")

    def event(self, kind: str, **fields: Any) -> int:
        self.events.append({"v": 1, "seq": len(self.events), "t": len(self.events) / 10, "kind": kind, **fields})
        return len(self.events) - 1

    def found(self, place: str, contract: str, **fields: Any) -> None:
        self.event("place-found", place=place, contract=contract, file="ops.py", line=3, **fields)

    def place(
        self, place: str, contract: str, inputs: dict[str, Any], outputs: list[Any], **fields: Any
    ) -> tuple[int, int]:
        """One call of a place: its two events. `graph=None` is an eager call."""
        graph = fields.pop("graph", "g1")
        call = sum(e["kind"] == "place" and e["place"] == place for e in self.events) // 2 + 1
        common = {"place": place, "contract": contract, "call": call, "graph": graph, "scope": fields.get("scope", ""),
                  "axes": fields.get("axes", []), "frames": []}  # fmt: skip

        def tensors(named: dict[str, Any], side: str) -> list[dict[str, Any]]:
            return [
                {"arg": a, "kind": "eager" if graph is None else "symbolic", "shape": s, "graph": graph,
                 "dtype": "float32", "tensor": None if graph is None else f"{side}{call}{a}:0"}
                for a, s in named.items()
            ]  # fmt: skip

        entered = self.event("place", phase="in", tensors=tensors(inputs, "i"), **common)
        results = {"result" if i == 0 else f"result[{i}]": shape for i, shape in enumerate(outputs)}
        return entered, self.event("place", phase="out", tensors=tensors(results, "o"), **common)

    def trace(self, capsule: str, name: str = "one_step", graph: str = "g1", **fields: Any) -> None:
        self.event("trace", function=f"__inference_{name}_1", python_name=name, graph=graph, parent=None,
                   capsule=capsule, xla=fields.get("xla", False), where=None, frames=[])  # fmt: skip
        self.capsules[capsule] = {
            "schema": "xladoctor.capsule/1",
            "graph": graph,
            "graphs": {graph: [f"__inference_{name}_1"]},
        }

    def begin(self, call: int, method: str = "fit", rows: int = 8, batch: int = 4) -> None:
        self.event("call", phase="begin", **_call(call, method, rows, batch), where={"file": "train.py", "line": 9})

    def end(
        self, call: int, capsule: str, method: str = "fit", rows: int = 8, batch: int = 4, phase: str = "end"
    ) -> None:
        self.event("call", phase=phase, capsule=capsule, rows_out=None, **_call(call, method, rows, batch))

    def shapes(
        self, capsule: str, events: tuple[int, int], shapes: dict[str, Any], batch: int = 4, **fields: Any
    ) -> None:
        """The worker's answer about one call of a place: run-time shapes by argument (and `result`)."""
        answer = next((a for a in self.worker if a["capsule"] == capsule and a["request"] == "shapes"), None)
        if answer is None:
            answer = {
                "capsule": capsule,
                "request": "shapes",
                "batch": batch,
                "result": {"occurrences": {}, "failed": []},
            }
            self.worker.append(answer)
        for event in events:
            recorded = self.events[event]
            graph = recorded["graph"]
            known = {t["tensor"]: shapes[t["arg"]] for t in recorded["tensors"] if t["arg"] in shapes}
            turns = fields.get("iterations", [])
            positions = {name: [event, *turns] for name in known}
            row = {"path": [], "function": "f", "order": [], "iterations": turns, "shapes": known,
                   "positions": positions, "state": fields.get("state", "executed")}  # fmt: skip
            answer["result"]["occurrences"].setdefault(f"{event}:{graph}", []).append(row)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps(self.run))
        lines = [json.dumps(event) for event in self.events]
        (folder / f"events-{PID}.jsonl").write_text("\n".join(lines) + "\n")
        for name, capsule in self.capsules.items():
            (folder / "capsules" / name).mkdir(parents=True)
            (folder / "capsules" / name / "capsule.json").write_text(json.dumps(capsule))
            if name in self.recipes:
                (folder / "capsules" / name / "recipe.json").write_text(json.dumps(self.recipes[name]))
        if self.worker:
            (folder / "worker.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in self.worker))
        if self.places is not None:
            (folder / "places.json").write_text(json.dumps(self.places))
        return folder


def _call(call: int, method: str, rows: int, batch: int) -> dict[str, Any]:
    return {"call": call, "method": method, "model": "gears", "rows_in": rows, "batch_size": batch}


def healthy(batch: int = 4, columns: int = 5) -> Run:
    """A `fit` that kept its contract, answered by a worker, and the same place once eagerly."""
    run = Run()
    run.found("gears.ops:shift", SHIFT, origin="pyproject.toml")
    run.begin(1, batch=batch)
    run.trace("7-1-step")
    events = run.place(
        "gears.ops:shift", SHIFT, {"x": [None, columns], "k": [None]}, [[None, columns]], scope="gears/a"
    )
    run.end(1, "7-1-step", batch=batch)
    run.shapes("7-1-step", events, {"x": [batch, columns], "k": [batch], "result": [batch, columns]}, batch)
    run.place("gears.ops:shift", SHIFT, {"x": [2, 5], "k": [2]}, [[2, 5]], graph=None)
    return run


def collapsed(batch: int = 4) -> Run:
    """The same with a result that lost its rows, in a `fit` that failed."""
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.found("gears.ops:shift", SHIFT, origin="pyproject.toml")
    run.begin(1, batch=batch)
    run.trace("7-1-step")
    events = run.place("gears.ops:shift", SHIFT, {"x": [None, 5], "k": [None]}, [[None, 5]], scope="gears/a")
    run.event("failure", failure=1, exception="InvalidArgumentError", message="no", state="raised", during="fit",
              capsule="7-1-step", frames=[])  # fmt: skip
    run.end(1, "7-1-step", batch=batch, phase="failed")
    run.recipes["7-1-step"] = {"data": "redrawn", "variables": "after-failure"}
    run.shapes("7-1-step", events, {"x": [batch, 5], "k": [batch], "result": [1, 5]}, batch)
    return run
