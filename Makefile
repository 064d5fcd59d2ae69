# The two commands of a fresh machine are `make demo` and `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-slow check format certificate clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)  ## the main job on the built-in example; prints where the report is
	$(BIN)/equipoise demo

check: $(STAMP)  ## style, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy src tests
	$(BIN)/lint-imports

test: check  ## everything a change must pass
	$(BIN)/python -m pytest -n 2 -m 'not slow'

test-slow: $(STAMP)  ## the long sweeps
	$(BIN)/python -m pytest -n 2 -m slow

certificate: $(STAMP)  ## re-measures the coverage certificate and rewrites docs/certificate.md
	$(BIN)/python -m benchmarks.certificate

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
