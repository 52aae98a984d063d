"""MLflow: tags with the verdict, the table of findings and the page, at one run.

Server, experiment and run are those of MLflow's own variables (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME,
MLFLOW_RUN_ID); without them MLflow keeps runs in the current folder. What stands behind the colon is a tracking URI.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from xladoctor.trackers import Tracker

if TYPE_CHECKING:
    from xladoctor.trackers._parcel import Parcel


def log(parcel: Parcel, where: str) -> str:
    """Logs to the run that MLFLOW_RUN_ID names, whose state is left alone, else to a new one that ends here."""
    import mlflow

    if where:
        mlflow.set_tracking_uri(where)
    given = os.environ.get("MLFLOW_RUN_ID")
    run = given or mlflow.start_run(run_name=parcel.name).info.run_id
    client = mlflow.MlflowClient()
    try:
        for name, value in parcel.verdict.items():
            client.set_tag(run, f"xladoctor.{name}", value)
        client.log_table(run, {h: list(c) for h, c in parcel.columns()}, "xladoctor/findings.json")
        client.log_text(run, parcel.page, "xladoctor/diagnosis.html")
    finally:
        if not given:
            mlflow.end_run("FAILED" if parcel.failed else "FINISHED")
    return f"run {run} at {mlflow.get_tracking_uri()}"


TRACKER = Tracker(
    "mlflow",
    log,
    environment={
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    },
)
