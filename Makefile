# Every target is one line; what it calls can be called by hand as well. CI asks everything anew: its runner sets CI.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

.DEFAULT_GOAL := help
.PHONY: help verify test wheels slow engines fuzz faults bench lint type fmt clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

verify: $(STAMP) ## Search every scope, run the designs that must fail, judge the traces (QUICK=1: under a minute).
	$(BIN)/slotproof verify $(if $(QUICK),--quick) $(if $(CI),--no-cache)

test: $(STAMP) ## Run the tests.
	$(BIN)/python -m pytest -n auto

wheels: $(STAMP) ## Build both distributions and try each in an empty environment.
	$(BIN)/python -m pytest -m slow --timeout 900 tests/test_wheels.py

slow: $(STAMP) ## Run the tests that take long or much memory.
	$(BIN)/python -m pytest -m slow --timeout 900

engines: $(STAMP) ## Run releases of a shipped engine, and show that the judge says what is true of each run (QUICK=1: a minute).
	$(BIN)/python -m tests.engines.run $(if $(QUICK),--quick)

fuzz: $(STAMP) ## Hunt for runs in which the runtime is not what the spec says (TIME=10m, WORKERS=2, SEED=0).
	$(BIN)/slotproof fuzz --time $(or $(TIME),10m) --workers $(or $(WORKERS),2) --seed $(or $(SEED),0)

faults: $(STAMP) ## Plant faults in the runtime, and show what the fuzzer makes of each (TIME=60s).
	$(BIN)/python -m tests.faults --time $(or $(TIME),60s)

bench: $(STAMP) ## Measure the search, the decode step and the judge, each beside a plain implementation of the same.
	$(BIN)/python -m tests.bench.run
	$(BIN)/python -m tests.bench.decode_step
	$(BIN)/python -m tests.bench.judging

lint: $(STAMP) ## Check style, formatting and the direction of imports.
	$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/lint-imports

type: $(STAMP) ## Check types.
	$(BIN)/mypy && $(BIN)/mypy --python-version 3.10 attach/slotproof_attach

fmt: $(STAMP) ## Format the code and fix what can be fixed safely.
	$(BIN)/ruff check --fix --exit-zero --quiet && $(BIN)/ruff format

clean: ## Remove what was built and installed here.
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .benchmarks .slotproof .engines

# The stamp is touched last, so an installation that failed is tried again.
$(STAMP): pyproject.toml setup.py attach/pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e attach -e '.[dev]'
	@touch $@
