"""Callbacks that take the worst epoch for the best: a metric of any name against the loss of the same run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from probes.record.monitors import MonitorRecorder

LOSS = [0.9, 0.7, 0.6, 0.5, 0.45, 0.44]
RISING = [0.1, 0.2, 0.3, 0.35, 0.4, 0.41]


class EarlyStopping:
    __module__ = "keras.src.callbacks"

    def __init__(self, monitor, mode, chosen=None):
        self.monitor, self.mode, self.monitor_op = monitor, mode, SimpleNamespace(__name__=chosen)


def told(callback, **history):
    events = []
    sink = SimpleNamespace(write=lambda kind, **facts: events.append(facts))
    recorder = MonitorRecorder(SimpleNamespace(sink=sink), SimpleNamespace(when_imported=lambda *_: None))
    call = {"callbacks": [lambda: callback], "model": "net", "where": None}
    recorder.fitted(call, SimpleNamespace(history=history))
    return [(e["mode"], e["loss"]) for e in events]


@pytest.mark.parametrize(
    ("callback", "history"),
    [
        (EarlyStopping("val_skill", "min"), {"loss": LOSS, "val_loss": LOSS, "val_skill": RISING}),
        (EarlyStopping("explained", "min"), {"loss": LOSS, "explained": RISING}),
        (EarlyStopping("val_wer", "max"), {"val_loss": LOSS, "val_wer": [v + 1 for v in LOSS]}),
        (EarlyStopping("val_skill", "auto", "less"), {"val_loss": LOSS, "val_skill": RISING}),
    ],
)
def test_a_mode_that_chooses_the_highest_loss_is_told(callback, history):
    [(mode, loss)] = told(callback, **history)
    assert mode in ("min", "max") and loss == ("val_loss" if "val_loss" in history else "loss")


@pytest.mark.parametrize(
    ("callback", "history"),
    [
        (EarlyStopping("val_skill", "max"), {"val_loss": LOSS, "val_skill": RISING}),
        (EarlyStopping("val_skill", "auto", "greater"), {"val_loss": LOSS, "val_skill": RISING}),
        (EarlyStopping("val_gap", "min"), {"val_loss": LOSS, "val_gap": [0.1, 0.3, 0.2, 0.25, 0.15, 0.22]}),
        (EarlyStopping("val_skill", "min"), {"val_loss": LOSS[:4], "val_skill": RISING[:4]}),
        (EarlyStopping("val_skill", "max"), {"val_loss": LOSS[::-1], "val_skill": RISING}),
        (EarlyStopping("lr", "min"), {"loss": LOSS, "lr": [0.1, 0.1, 0.1, 0.01, 0.01, 0.01]}),
        (EarlyStopping("val_neg_accuracy", "min"), {"val_loss": LOSS, "val_neg_accuracy": [-v for v in RISING]}),
    ],
)
def test_a_mode_that_agrees_or_of_which_nothing_is_known_is_not(callback, history):
    assert told(callback, **history) == []


def test_a_name_that_says_its_direction_is_enough():
    assert told(EarlyStopping("val_pr_auc", "min"), val_loss=LOSS[:2], val_pr_auc=RISING[:2]) == [("min", None)]
