# `make demo` and `make test` work on a fresh clone: they first set up what they need in .venv.
#
#   PYTHON=python3.12 make test      uses another Python for a new .venv (3.11 or later)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
TORCHLESS := .venv-$(notdir $(PYTHON))
LOWEST := .venv-lowest
DEMO := demo-output

# Grading here must not change anybody's progress file.
export ATTNCHECK_STATE = /dev/null

# One thread each: two threads on a busy machine make the CPU clocks of the limits meaningless.
export OMP_NUM_THREADS = 1

# One test process per available core (`taskset` counts); `make test WORKERS=2` sets another number.
cores = import os; print(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
at-once = -n $(or $(WORKERS),$$($(1) -c '$(cores)')) --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-web web prove attacks short lowest check map docs messages picture pictures bench release clean

help:
	@echo 'make demo    grade a small example class and show the results'
	@echo 'make test    run all tests except the long ones; COVERAGE=1 also checks the coverage of grader/'
	@echo 'make test-web run the tests of the pages in a real browser (needs Chromium)'
	@echo 'make web     build the scripts of the pages from their pinned sources (needs Node.js)'
	@echo 'make prove   run the long tests, and every attack in every configuration'
	@echo 'make short   run the tests that need no torch, with PYTHON=…'
	@echo 'make lowest  run all tests except the long ones, with the lowest versions that pyproject.toml allows'
	@echo 'make attacks run every attack in every configuration, and update the scoreboard in docs/security.md'
	@echo 'make bench   measure what grading costs, as ratios'
	@echo 'make check   check lint, formatting, types and the question bank'
	@echo 'make docs    write the generated pages: rooms, checks, items, exports, intakes, commands'
	@echo 'make picture update the screenshot in README.md (needs Chromium)'
	@echo 'make pictures update the pictures of the pages in docs/images/pages (needs Chromium)'
	@echo 'make messages bring the Chinese catalogue in step with the texts of the program'
	@echo 'make release build the release and test it in a clean environment; uploads nothing'
	@echo 'make clean   remove .venv and all generated files'

demo: $(READY)
	@echo '== Grading examples/class'
	@$(PY) cli.py batch examples/class --out $(DEMO) -q Q5 -q Q11 $(as-graded)
	@echo
	@echo '== One report in full: dia-no-scaling'
	@$(PY) cli.py grade examples/class/dia-no-scaling $(as-graded)
	@echo
	@echo 'Results of the whole class: $(DEMO)/'

# 1: graded, not everything passed; 5: some submissions could not be graded. The class is meant to cause both.
as-graded = || case $$? in 1|5) ;; *) exit 1;; esac

# tests/conftest.py orders the slowest files first, so that no core waits for another at the end.
test: $(READY)
	@$(PY) -m pytest -q $(call at-once,$(PY)) $(if $(COVERAGE),--cov --cov-fail-under=95)

# It takes an hour and more, so each test is named as it ends: a run that is stopped has said what failed.
prove: $(READY)
	@$(PY) -m pytest -v $(call at-once,$(PY)) -m prove --ignore=tests/attacks/test_attacks.py
	@$(PY) -m tests.attacks.matrix

# playwright and axe-core are only needed here. Without Node.js, the pages are not checked with axe-core.
$(VENV)/.browser: $(READY)
	@$(PY) -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt 'playwright>=1.50'
	@! command -v npm >/dev/null || $(MAKE) $(FRONT)/.ready
	@touch $@

# A browser that never answers says where after ten minutes, instead of keeping everything waiting.
test-web: $(VENV)/.browser
	@$(PY) -m pytest -q -m 'prove or not prove' -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true tests/web

FRONT := build/front

$(FRONT)/.ready: $(wildcard grader/web/front/*)
	@rm -rf $(FRONT) && mkdir -p $(FRONT) && cp grader/web/front/* $(FRONT)
	@cd $(FRONT) && npm ci --no-audit --no-fund && node node_modules/esbuild/install.js
	@touch $@

web: $(FRONT)/.ready
	@cd $(FRONT) && npm run build
	@cp build/static/* grader/web/static

attacks: $(READY)
	@$(PY) -m tests.attacks.matrix --write

# Tests that depend on the version of Python, not on torch: parsers, XML, SQLite, templates, recursion, warnings.
SHORT := tests/test_layers.py tests/core tests/submission tests/course/items tests/formulas \
  tests/course/test_edits.py tests/course/test_schema.py tests/grading/test_definitions.py $(wildcard tests/report/test_*.py) \
  tests/learning/test_log.py tests/learning/test_quiz_session.py tests/learning/test_progress_view.py \
  tests/learning/test_quiz_view.py tests/learning/test_review_view.py tests/instructor/analysis \
  $(patsubst %,tests/classroom/test_%.py,collect gradebook inbox marks roster words) \
  $(patsubst %,tests/instructor/test_%.py,explain_view overrides) \
  $(patsubst %,tests/instructor/export/test_%.py,canvas csv gradescope json moodle html junit gift qti quiz_items)

short: $(TORCHLESS)/.ready
	@$(TORCHLESS)/bin/python -m pytest -q $(call at-once,$(TORCHLESS)/bin/python) $(SHORT)

lowest: $(LOWEST)/.ready
	@$(LOWEST)/bin/python -m pytest -q $(call at-once,$(LOWEST)/bin/python)

check: $(READY)
	@echo '== ruff'
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@echo '== mypy'
	@$(PY) -m mypy
	@echo '== bank'
	@$(PY) cli.py bank check

docs: map
	@$(PY) -m tests.stills

messages: $(READY)
	@$(PY) -m tests.catalogue --write

map: $(READY)
	@$(PY) -m tests.architecture --write
	@$(PY) -m tests.documentation --write

# Headless, with its own profile folder. CHROMIUM=google-chrome uses another browser. Needs a font with Chinese characters.
CHROMIUM ?= chromium
PICTURE := build/picture

picture: $(READY)
	@command -v $(CHROMIUM) >/dev/null || { echo "'$(CHROMIUM)' was not found; name a Chromium with CHROMIUM=…"; exit 1; }
	@mkdir -p $(PICTURE) docs/images
	@$(PY) cli.py grade examples/class/dia-no-scaling -e scaled_dot_product_attention --public-only --lang en \
	  --html $(PICTURE)/report.html >/dev/null $(as-graded)
	@$(CHROMIUM) --headless --no-sandbox --hide-scrollbars --user-data-dir=$(PICTURE)/profile --window-size=900,1066 \
	  --screenshot=docs/images/report.png file://$(CURDIR)/$(PICTURE)/report.html 2>/dev/null
	@ls -l docs/images/report.png

pictures: $(VENV)/.browser
	@$(PY) -m tests.gallery

bench: $(READY)
	@$(PY) -m benchmarks.bench
	@$(PY) -m benchmarks.one_exercise
	@$(PY) -m benchmarks.one_exercise --copies 10000
	@$(PY) -m benchmarks.pages

# Uploads nothing: see "Releasing" in CONTRIBUTING.md. The last step needs no network: libraries come from .venv, the
# program itself only from the wheel.
RELEASED = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' grader/__init__.py)
CLEAN := build/clean-environment

release: $(READY)
	@echo '== Version and changelog'
	@test -n '$(RELEASED)' || { echo 'grader/__init__.py has no line __version__ = "…"'; exit 1; }
	@grep -Eq '^## $(subst .,\.,$(RELEASED)) \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$$' CHANGELOG.md || { \
	  echo 'CHANGELOG.md has no section "## $(RELEASED) (YEAR-MONTH-DAY)"; found: '"$$(grep -m1 '^## ' CHANGELOG.md)"; exit 1; }
	@echo '== Build'
	@rm -rf dist
	@$(PY) -m build --no-isolation
	@$(PY) -m twine check --strict dist/*
	@echo '== The wheel in a clean environment'
	@$(PY) -m venv --clear --without-pip $(CLEAN)
	@$(PY) -m pip --python $(CLEAN)/bin/python install --quiet --no-index --no-deps dist/attncheck-$(RELEASED)-*.whl
	@$(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > $$(echo $(CLEAN)/lib/python3*/site-packages)/libraries.pth
	@cd / && $(CURDIR)/$(CLEAN)/bin/python -c 'import grader; print(grader.__version__, grader.__file__)' \
	  | grep '^$(RELEASED) $(CURDIR)/$(CLEAN)/'
	@cd / && $(CURDIR)/$(CLEAN)/bin/attncheck --help >/dev/null
	@cd / && $(CURDIR)/$(CLEAN)/bin/attncheck doctor
	@cd / && $(CURDIR)/$(CLEAN)/bin/attncheck grade $(CURDIR)/examples/class/ada-torch
	@echo '== Ready in dist/: see "Releasing" in CONTRIBUTING.md for what comes next'
	@ls -l dist

clean:
	rm -rf $(VENV) $(VENV)-* $(DEMO) build dist htmlcov .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ------------------------------------------------------------------------------------------- set-up

# Prints the version of an installed torch that is new enough, or nothing. Reads metadata; torch is not imported.
find-torch = from importlib.metadata import version; v = version("torch"); \
  print(v if tuple(map(int, v.split(".")[:2])) >= (2, 4) else "")

# If $(PYTHON) already has torch, .venv sees that Python's packages, and the version found replaces the one in
# constraints.txt.
$(READY): pyproject.toml constraints.txt
	@if ! $(PY) -c '' 2>/dev/null; then \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "attncheck needs Python 3.11 or later, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)"; \
	    echo "Name another one, for example: make $(or $(MAKECMDGOALS),test) PYTHON=python3.12"; exit 1; }; \
	  torch=$$($(PYTHON) -c '$(find-torch)' 2>/dev/null); \
	  echo "== Creating $(VENV) with $$($(PYTHON) --version)$${torch:+ and its torch $$torch}"; \
	  $(PYTHON) -m venv --clear $${torch:+--system-site-packages} $(VENV) || { \
	    echo "Creating a virtual environment failed; on Debian and Ubuntu: apt install python3-venv"; exit 1; }; \
	fi
	@echo '== Installing into $(VENV) (takes several minutes the first time, mostly for torch)'
	@cp constraints.txt $(VENV)/constraints.txt
	@if grep -q 'include-system-site-packages = true' $(VENV)/pyvenv.cfg; then \
	  torch=$$($(PY) -c '$(find-torch)' 2>/dev/null); \
	  [ -z "$$torch" ] || sed -i.bak "s/^torch==.*/torch==$$torch/" $(VENV)/constraints.txt; \
	fi
	@$(PY) -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[dev]'
	@touch $@

# The packages that run and test attncheck, without torch and without tools that only lint or build.
torchless = import re, tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  needed = lambda name: re.match("(babel|pytest|hypothesis|jsonschema|distributed|ipywidgets|starlette|uvicorn|python-multipart|httpx2)", name); \
  print(*[n for n in p["dependencies"] if not n.startswith("torch")], \
    *filter(needed, p["optional-dependencies"]["dev"]), sep="\n")

$(TORCHLESS)/.ready: pyproject.toml
	@$(PYTHON) -m venv --clear $(TORCHLESS)
	@$(TORCHLESS)/bin/python -c '$(torchless)' > $(TORCHLESS)/requirements.txt
	@$(TORCHLESS)/bin/python -m pip install --quiet --disable-pip-version-check -r $(TORCHLESS)/requirements.txt
	@$(TORCHLESS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

# Only uv can install the lowest versions; it is used only here. Its torch brings several gigabytes of CUDA.
$(LOWEST)/.ready: pyproject.toml
	@$(PYTHON) -m venv --clear $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -e '.[dev,cluster]'
	@touch $@
