"""A survey as JSON (`xladoctor.survey/1`): every diagnosis in it is a whole `xladoctor.diagnosis/1`."""

from __future__ import annotations

import json
from typing import Any

from xladoctor.model.survey import Survey
from xladoctor.report.json_ import plain, to_dict
from xladoctor.survey.columns import as_data as cause_data
from xladoctor.survey.table import utc


def render(survey: Survey) -> str:
    """The JSON text, with a line break at its end."""
    return json.dumps(as_dict(survey), indent=2, allow_nan=False) + "\n"


def as_dict(survey: Survey) -> dict[str, Any]:
    """The survey as what JSON can hold. Runs and causes are named by their numbers in these lists, from 0."""
    data: dict[str, Any] = {
        "schema": survey.schema,
        "tool_version": survey.tool_version,
        "verdicts": survey.verdicts,
        "causes": [
            {
                **cause_data(cause),
                "count": cause.count,
                "newest": utc(cause.newest),
                "numbers": cause.numbers,
                "remedy": cause.remedy,
                "example": cause.example,
                "runs": cause.runs,
            }
            for cause in survey.causes
        ],
        "runs": [
            {
                "source": run.target.name,
                "kind": run.target.kind,
                "paths": run.target.paths,
                "time": utc(run.time),
                "cause": run.group,
                "diagnosis": to_dict(run.diagnosis),
            }
            for run in survey.runs
        ],
        "problems": survey.problems,
    }
    result: dict[str, Any] = plain(data)
    return result
