# Everything a person or CI needs, from a machine with Python 3.10-3.13, pip and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# Installs what is pinned in a quarter of pip's processor time.
UV     := $(shell sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements.lock)
VERSIONS := 2.15.1 2.19.1
PYTHONS := 3.10 3.12 3.13
RECORDED := $(addprefix tests/probes/record/test_,runtime.py findings.py foreign.py programs.py session_capsule.py) \
            -k "not broken and not saved and not pytest"

.PHONY: setup demo test test-fast versions test-versions test-pythons test-trackers sample lint format lock bench site clean help

help:            ## this list
	@sed -n 's/^\([a-z-]*\): .*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: $(STAMP)  ## create .venv with everything pinned by requirements.lock

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "make: $(PYTHON) is not Python 3.10-3.13; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(UV)
	$(BIN)/python -m uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup      ## a real failing study, and its silent twin, under the doctor
	$(BIN)/python -m tests.demo

# Compiled once, where Python is told to write no bytecode: each of some hundred commands would compile the doctor anew.
test: setup lint ## lint, types and the whole suite
	@$(BIN)/python -m compileall -q -j 0 xladoctor probes ptycho tests
	$(BIN)/python -m pytest -n logical --maxprocesses=4 --dist loadfile --no-loadscope-reorder $(TURN)

test-fast: setup ## without the tests that start TensorFlow
	$(BIN)/python -m pytest -m "not slow"

# Environments with TensorFlow 2.15 and 2.19, each made once.
versions: setup
	@for version in $(VERSIONS); do \
	  venv=$(CURDIR)/.venvs/tensorflow-$$version; \
	  if [ ! -e $$venv/.installed ]; then \
	    case $$version in 2.15.*) $(BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 12))' || continue;; esac; \
	    $(BIN)/python -m venv --clear $$venv && $(BIN)/python -m uv pip install --quiet --compile-bytecode --python $$venv/bin/python \
	      --no-deps --requirement tests/versions/tensorflow-$$version.txt && touch $$venv/.installed || exit 1; \
	  fi; \
	done

test-versions: versions ## the recorder against TensorFlow 2.15 and 2.19
	@for version in $(VERSIONS); do \
	  venv=$(CURDIR)/.venvs/tensorflow-$$version; \
	  if [ ! -e $$venv/.installed ]; then echo "test-versions: TensorFlow $$version needs Python 3.11 or older: left out"; continue; fi; \
	  echo "TensorFlow $$version:"; \
	  XLADOCTOR_TEST_PYTHON=$$venv/bin/python $(BIN)/python -m pytest -q -n logical --maxprocesses=4 --dist loadfile $(TURN) $(RECORDED) || exit 1; \
	done

# An environment for each, made again when what is pinned has changed.
test-pythons: setup ## the fast tests on Python 3.10, 3.12 and 3.13, as far as they are installed (2 GB each)
	@for version in $(PYTHONS); do \
	  venv=$(CURDIR)/.venvs/python-$$version; \
	  if [ ! $$venv/.installed -nt requirements.lock ]; then \
	    $(BIN)/python -m uv venv --quiet --clear --seed --no-python-downloads --python $$version $$venv \
	      || { echo "test-pythons: there is no Python $$version: left out"; continue; }; \
	    $(BIN)/python -m uv pip install --quiet --compile-bytecode --python $$venv/bin/python --require-hashes -r requirements.lock \
	      && $(BIN)/python -m uv pip install --quiet --python $$venv/bin/python --no-deps --no-build-isolation -e . \
	      && touch $$venv/.installed || exit 1; \
	  fi; \
	  echo "Python $$version: $(or $(TESTS),all rooms), without what starts TensorFlow:"; \
	  $$venv/bin/python -m pytest -q -m "not slow" $(TURN) $(TESTS) || exit 1; \
	done

test-trackers: setup ## --export with mlflow, wandb and tensorboard themselves (1 GB)
	@venv=$(CURDIR)/.venvs/trackers; \
	if [ ! -e $$venv/.installed ]; then \
	  $(BIN)/python -m venv --clear $$venv && $(BIN)/python -m uv pip install --quiet --compile-bytecode --python $$venv/bin/python \
	    --requirement tests/versions/trackers.txt . && touch $$venv/.installed || exit 1; \
	fi; \
	XLADOCTOR_TEST_TRACKERS=$$venv/bin/python $(BIN)/python -m pytest -q tests/xladoctor/test_trackers.py

sample: setup    ## for a minute: programs whose truth is known, chosen by the commit
	$(BIN)/python -m benchmarks.sample

lint: setup      ## ruff, mypy --strict, and phrases that are hard to read
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.banned_words

format: setup    ## let ruff rewrite
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

site: setup      ## the documentation, in site/; runs the casebook's five failures (some minutes)
	$(BIN)/python -m docs._build.casebook
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

lock:            ## renew requirements.lock from pyproject.toml
	$(PYTHON) -m pip install --quiet $(UV)
	$(PYTHON) -m uv pip compile pyproject.toml --universal --all-extras --python-version 3.10 \
	  --generate-hashes --no-emit-index-url --quiet -o requirements.lock

bench: setup     ## every figure that the README quotes, then (hours) the benches that judge the doctor
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks chaos verdicts truth silent blame checkouts

clean:           ## remove what make made
	rm -rf $(VENV) dist build demo-output
