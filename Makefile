# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test lint types tests bench clean

demo: $(STAMP)
	$(BIN)/supple demo

test: lint types tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

tests: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

# Beside Blender, when its wheel can be installed here (about 400 MB, Python 3.11).
bench: $(STAMP)
	-$(BIN)/pip install --quiet --disable-pip-version-check -e '.[peers]'
	$(BIN)/supple bench

clean:
	rm -rf .venv supple-demo

$(STAMP): pyproject.toml
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[render,dev]'
	touch $@
