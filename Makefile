# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: web browser installed demo test quick lint types tests gpu everywhere survive farm-tests peers bench docs clean

# Fast tests of every room: the laws of all skins, settings, readers, player, bake, measures, pictures, the house.
QUICK := house references settings machine device_launches topology rotations voxels character weights shapes motion \
  scene_file player graph skin_laws bake edits_file measure_functions decompose_solver mesh_files gltf osc \
  sandbox render compare

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

# The studio's page, for those who change it: needs Node. What it makes is committed, so that nobody else does.
web: $(STAMP)
	$(BIN)/python -c "from supple.studio.typescript import typescript; print(typescript(), end='')" > web/src/messages.ts
	cd web && npm ci --no-audit --no-fund && npm run check && npm run build

# The studio in a real browser. Where Playwright (168 MB, installed here) or Chromium is missing, `make test` skips these.
browser: .venv/.browser
	@$(BIN)/python tests/studio/browser/chromium.py
	@if command -v npm >/dev/null; then cd web && npm ci --no-audit --no-fund --silent; fi
	$(BIN)/python -m pytest -m browser -n 2 --dist loadfile tests/studio/browser

.venv/.browser: $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[browser]'
	touch $@

# All of that from a wheel, in a new environment without a network: what it needs is fetched beforehand (220 MB).
installed: .venv/.browser .wheels/.fetched
	SUPPLE_WHEELS=.wheels $(BIN)/python -m pytest -m browser -n 2 --dist loadfile tests/studio/browser

.wheels/.fetched: pyproject.toml $(STAMP)
	$(BIN)/pip download --quiet --disable-pip-version-check --dest .wheels '.[studio-lan]' 'hatchling>=1.27'
	touch $@

# What to run while working, in less than a minute and a half once the kernels are compiled.
quick: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow" $(foreach name,$(QUICK),$(wildcard tests/*/test_$(name).py tests/*/*/test_$(name).py)) tests/doors/test_docs.py::test_links_lead_somewhere

# The tests that are skipped without a CUDA device, on a machine that has one.
gpu: $(STAMP)
	@$(BIN)/python -c 'import sys; from supple.device import warp; sys.exit(0 if warp().is_cuda_available() else "make gpu: there is no CUDA device on this machine, so nothing was tested; run it where there is an NVIDIA GPU with its driver.")'
	$(BIN)/python -m pytest -m cuda $$(grep -rl --include='test_*.py' 'mark\.cuda' tests)

# All tests as other processors would run them: an older one as NumPy and BLAS see it, and kernels for any of the family.
everywhere: $(STAMP)
	NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python tests/scenes/older_cpu.py)" OPENBLAS_CORETYPE=Nehalem $(BIN)/python -m pytest -n 2 --dist loadgroup
	SUPPLE_CPU_TARGET=generic $(BIN)/python -m pytest -n 2 --dist loadgroup

# The scorecard of faults survived, put into docs/reliability.md; SURVIVE_TRIES says how often each is tried.
SURVIVE_TRIES ?= 300
survive: $(STAMP) .venv-farm/.installed
	cd tests && PYTHONPATH=.:scenes SUPPLE_FARM_PYTHON=$(CURDIR)/.venv-farm/bin/python ../$(BIN)/python -m survival --tries $(SURVIVE_TRIES) --write

# The farm on Dask and on an object store, which `make test` skips: both are installed into an environment of their own.
farm-tests: .venv-farm/.installed
	.venv-farm/bin/python -m pytest tests/farm

.venv-farm/.installed: pyproject.toml
	test -d .venv-farm || $(PYTHON) -m venv .venv-farm
	.venv-farm/bin/pip install --quiet --disable-pip-version-check -e '.[farm-tests]'
	touch $@

# What we read and write against Blender: pytest in one environment, Blender's module in the other.
peers: $(STAMP) .venv-bench/.installed
	SUPPLE_BLENDER_PYTHON=.venv-bench/bin/python $(BIN)/python -m pytest tests/parity/test_*_blender.py

# Beside Blender, in an environment of its own because Blender wants an older NumPy (about 400 MB, Python 3.11).
bench: .venv-bench/.installed
	.venv-bench/bin/supple bench

.venv-bench/.installed: pyproject.toml
	test -d .venv-bench || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check -e '.[peers]'
	touch $@

# The pages and the reference of all public names as a site that needs no network: site/index.html.
docs: .venv-docs/.installed
	.venv-docs/bin/mkdocs build --strict

.venv-docs/.installed: pyproject.toml
	test -d .venv-docs || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

clean:
	rm -rf .venv .venv-bench .venv-docs .venv-farm supple-demo site dist

$(STAMP): pyproject.toml
	test -d .venv || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[render,film,dev]'
	touch $@
