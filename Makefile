# `make demo` and `make test` set up .venv by themselves; all they need is Python 3.11 with pip.
PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/bash

.PHONY: demo quick test lint clean

demo: .venv/demo
	rm -rf runs/demo
	$(BIN)/metasmith design pbo:F2 --effort quick --out runs/demo
	$(BIN)/metasmith compare runs/demo --runs 5
	$(BIN)/metasmith report runs/demo --runs 5

# The fast tests: under 90 seconds on two cores, once compiled code is in its cache (~/.cache/metasmith).
quick: .venv/test
	$(BIN)/python -m pytest -n 2 -m "not slow"

test: .venv/test
	$(BIN)/python -m pytest -n 2

lint: .venv/test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

.venv/test: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,lint]'
	touch $@ .venv/demo

clean:
	rm -rf .venv
