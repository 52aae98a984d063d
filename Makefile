# Everything a person or CI needs, from a machine with Python 3.10-3.13, pip and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: setup demo test test-fast lint format lock bench clean help

help:            ## this list
	@sed -n 's/^\([a-z-]*\): .*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: $(STAMP)  ## create .venv with everything pinned by requirements.lock

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "make: $(PYTHON) is not Python 3.10-3.13; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup      ## a real failing study, and its silent twin, under the doctor
	$(BIN)/python -m tests.demo

test: setup lint ## lint, types and the whole suite
	$(BIN)/python -m pytest

test-fast: setup ## without the tests that start TensorFlow
	$(BIN)/python -m pytest -m "not slow"

lint: setup      ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup    ## let ruff rewrite
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:            ## renew requirements.lock from pyproject.toml
	$(PYTHON) -m pip install --quiet uv
	$(PYTHON) -m uv pip compile pyproject.toml --universal --all-extras --python-version 3.10 \
	  --generate-hashes --no-emit-index-url --quiet -o requirements.lock

bench: setup     ## every figure that the README quotes
	$(BIN)/python -m benchmarks

clean:           ## remove what make made
	rm -rf $(VENV) dist build demo-output
