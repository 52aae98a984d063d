"""Settings for the gauge forecasts. Hours everywhere unless a name says otherwise."""

LOOKBACK_H = 72
STEP_H = 3
HORIZON_H = 24

LOOKBACK = LOOKBACK_H // STEP_H
HORIZON = HORIZON_H // STEP_H

STATIONS = ("upstream", "tributary", "gauge")
TARGET = "gauge"

UNITS = 24
LEADS = 24
BATCH = 32
EPOCHS = 3
USE_JIT = False
