"""Diagnoses as JSON lines (`xladoctor.jsonl/1`): one record a line, for `jq`, log collectors and streams.

Each source gives one `diagnosis` record and then one record an item (`finding`, `hypothesis`, `xla_path`, `setting`,
`shape`, `compilation`), with the keys that the item has in `xladoctor.diagnosis/1`. Together they hold the whole
diagnosis.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report.json_ import to_dict

SCHEMA = "xladoctor.jsonl/1"
KINDS = {
    "findings": "finding",
    "hypotheses": "hypothesis",
    "xla_paths": "xla_path",
    "settings": "setting",
    "shapes": "shape",
    "compilations": "compilation",
}


def render(diagnoses: Sequence[Diagnosis]) -> str:
    """The records, a line each. ASCII only, so no text of a log can break a line."""
    lines = (json.dumps(record, allow_nan=False) for diagnosis in diagnoses for record in _records(diagnosis))
    return "".join(f"{line}\n" for line in lines)


def _records(diagnosis: Diagnosis) -> Iterator[dict[str, Any]]:
    data = to_dict(diagnosis)
    source = data["source"]
    head = {key: value for key, value in data.items() if key not in KINDS and key != "schema"}
    yield {"schema": SCHEMA, "record": "diagnosis", **head, "records": {key: len(data[key]) for key in KINDS}}
    for key, kind in KINDS.items():
        for item in data[key]:
            yield {"schema": SCHEMA, "record": kind, "of": source, **item}
