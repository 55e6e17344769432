# Everything runs in .venv, made from the lock file; nothing has to be activated.

.PHONY: demo test lint bench clean

# A shell's own Python settings must not reach into the environment, nor pip's install elsewhere.
unexport PYTHONHOME PYTHONPATH PIP_PREFIX PIP_TARGET PIP_USER VIRTUAL_ENV

bin := .venv/bin
installed := .venv/installed
demo := $(bin)/skillgrade --file=eval.yaml.example --grader=deterministic,llm_rubric
cores := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# What the example's tasks need and this machine lacks: Node comes with the image where Docker answers. The TypeScript
# grader fetches its runner from the npm registry, which a first look must not depend on.
without_node := $(shell command -v node >/dev/null 2>&1 || docker info >/dev/null 2>&1 || echo --not-filter=needs=node)

# The main job on the example: every task that needs no network, several trials each, scored.
demo: $(installed)
	$(demo) --verdicts=replay --provider=auto --not-filter=needs=npm $(without_node)
	@echo
	@echo 'The agent is a script that overlooks one rule of its skill on purpose: that is the task which fails above.'
	@echo 'The verdicts of llm_rubric are replayed from judge-recordings/eval.json; a script stood in for the judge there.'
	@$(if $(without_node),echo 'No Node.js and no Docker here: the task with the Node grader was left out.')
	@echo 'Left out as well: the task whose TypeScript grader installs tsx from the npm registry. To run it too:'
	@echo '  $(demo) --verdicts=replay'
	@echo 'What the skill is worth: the same tasks without it.'
	@echo '  $(bin)/skillgrade --file=eval.yaml.example --grader=deterministic --no-skill --trials=1'
	@echo 'Next: the tasks in eval.yaml.example, the scripts in graders/, then README.md for a skill of your own.'

# All tests; those that need a Docker engine skip without one and say so.
test: $(installed)
	$(bin)/pytest $(if $(filter-out 1,$(cores)),-n auto --maxprocesses=8)

lint: $(installed)
	$(bin)/ruff check .
	$(bin)/ruff format --check .
	$(bin)/mypy

# What trials cost beside the same work done by hand; a quarter of an hour on a quiet machine.
bench: $(installed)
	$(bin)/python -m benchmarks

clean:
	rm -rf .venv

$(installed): pyproject.toml requirements-dev.lock
	@$(bin)/python -c '' 2>/dev/null || { \
	  for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; python=; \
	  done; \
	  [ -n "$$python" ] || { echo 'make: no Python >= 3.11 found; install one or name it: make PYTHON=/path/to/python3.12' >&2; exit 1; }; \
	  "$$python" -m venv --clear .venv || { echo 'make: could not make .venv; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }; }
	$(bin)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement=requirements-dev.lock
	$(bin)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable=.
	@touch $@
