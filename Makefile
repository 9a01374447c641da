# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test lint types tests everywhere peers bench clean

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

# All tests as other processors would run them: an older one as NumPy and BLAS see it, and kernels for any of the family.
everywhere: $(STAMP)
	NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python tests/older_cpu.py)" OPENBLAS_CORETYPE=Nehalem $(BIN)/python -m pytest -n 2 --dist loadgroup
	SUPPLE_CPU_TARGET=generic $(BIN)/python -m pytest -n 2 --dist loadgroup

# What we read and write against Blender: pytest in one environment, Blender's module in the other.
peers: $(STAMP) .venv-bench/.installed
	SUPPLE_BLENDER_PYTHON=.venv-bench/bin/python $(BIN)/python -m pytest tests/test_*_blender.py

# Beside Blender, in an environment of its own because Blender wants an older NumPy (about 400 MB, Python 3.11).
bench: .venv-bench/.installed
	.venv-bench/bin/supple bench

.venv-bench/.installed: pyproject.toml
	test -d .venv-bench || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check -e '.[peers]'
	touch $@

clean:
	rm -rf .venv .venv-bench supple-demo

$(STAMP): pyproject.toml
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[render,film,dev]'
	touch $@
