# make chat   sets everything up and starts the chat (ARGS="..." passes flags: make chat ARGS="-C ../other")
# make test   sets everything up and runs every check
# make bench  runs small tasks with the local model (ARGS="--quick" for a few; fetches 1.1 GB once)
# make manual writes docs/text-agent.1 anew, after a change of flags, variables or commands

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: chat test bench manual clean

chat: $(VENV)/.ready-for-chat
	@$(BIN)/text-agent $(ARGS)

test: $(VENV)/.ready-for-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(BIN)/pytest --numprocesses auto --dist worksteal --cov --cov-report=
	$(BIN)/coverage report --fail-under=100

bench: $(VENV)/.ready-for-test
	$(BIN)/python -m bench.model $(ARGS)

manual: $(VENV)/.ready-for-test
	PYTHONPATH=. $(BIN)/python docs/make_manual.py

clean:
	rm -rf $(VENV) .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The project is installed from this folder, so that only a change of pyproject.toml asks for a new set-up.
$(VENV)/.ready-for-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS_$*)]'
	@touch $@

EXTRAS_chat := local
EXTRAS_test := dev,local
