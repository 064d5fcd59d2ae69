# The two commands of a fresh machine are `make demo` and `make test`.
#
# PYTHON may name any interpreter from 3.11 on; VENV another folder for the environment:
#   make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do \
	$$name -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := .ci/install $(BIN)/python
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help install demo machine test suite test-slow check format pages certificate clean

help:  ## lists what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 14

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later with venv; mend: make ... PYTHON=/path/to/python" >&2; exit 3; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is no Python 3.11 or later; mend: make ... PYTHON=/path/to/python" >&2; exit 3; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "no venv; mend: install the venv package of your Python (Debian: python3-venv)" >&2; rm -rf $(VENV); exit 3; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[suites]'
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[dev]'
	$(INSTALL) --no-deps 'mini-swe-agent>=2.4' || echo "mini-swe-agent not installed; its tests skip"
	touch $@ $(VENV)/.installed

install: $(VENV)/.installed  ## makes .venv and installs equipoise into it
	@echo "installed: $$($(BIN)/equipoise --version); next: . $(BIN)/activate"

demo: $(VENV)/.installed  ## runs the built-in example; prints where the report is
	$(BIN)/equipoise demo

check: $(VENV)/.installed-dev  ## style, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy src tests
	$(BIN)/lint-imports

machine:  ## installs PostgreSQL and Chromium for the tests, where it can; never fails
	@.ci/machine

test:  ## everything a change must pass
	@$(MAKE) --no-print-directory -j2 machine $(VENV)/.installed-dev
	@$(MAKE) --no-print-directory -j2 check suite

suite: $(VENV)/.installed-dev  ## the tests alone
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m 'not slow'

test-slow: $(VENV)/.installed-dev  ## the long sweeps; installs Ray for its tests
	-$(INSTALL) -e '.[ray]'
	$(BIN)/python -m pytest -q -n $(WORKERS) -m 'slow or hypothesis' --hypothesis-profile=thorough

certificate: $(VENV)/.installed-dev  ## measures the coverage certificate anew into docs/certificate.md
	$(BIN)/python -m benchmarks.certificate

pages: $(VENV)/.installed-dev  ## writes the reference pages that follow from the program
	PYTHONPATH=tests $(BIN)/python -m house.command_page > docs/reference/cli.md
	$(BIN)/equipoise calc --reference > docs/reference/calc.md
	PYTHONPATH=tests $(BIN)/python -m house.requirements_page
	PYTHONPATH=tests $(BIN)/python -m house.schema_files

format: $(VENV)/.installed-dev  ## formats the code and mends what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## removes the environment and the caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
