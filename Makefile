# The Lab's entry points. `make report` and `make test` set up all they need on first use.
PROFILE ?= quick
RUN ?= $(PROFILE)
EXPERIMENTS ?=
export PROFILE RUN EXPERIMENTS # quotes and blanks in them reach the program as they are

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LAB := $(BIN)/lab
READY := $(VENV)/.ready
JAR := harness/java/target/lab-harness.jar
C_BUILD := harness/c/build

JAVA_SOURCES := $(shell find harness/java/src/main harness/java/pom.xml -type f 2>/dev/null)
C_SOURCES := $(shell find harness/c -type f -not -path '*/build/*' -not -path '*/test/*' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help report test lab figures verify bench doctor clean harness lint lock

help: ## list the targets and variables
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12
	@echo
	@echo 'Variables: PROFILE=smoke|quick|full (default quick)  RUN=name (default: the profile)'
	@echo '           EXPERIMENTS=a,b (default all)  LAB_JDKS=home:home  LAB_IO_DIR=folder'

report: harness ## measure here (or resume), fit, draw, and write build/report/index.html
	@$(LAB) report --profile "$$PROFILE" --run "$$RUN" --experiments "$$EXPERIMENTS"

test: harness ## all tests: Python, Java, C, notebooks and a whole smoke report
	@sh tests/run-all.sh

lab: harness ## open JupyterLab to explore runs
	@$(BIN)/jupyter lab --ip=127.0.0.1 --notebook-dir=notebooks

figures: harness ## redraw a run without measuring: make figures RUN=reference
	@$(LAB) figures --run "$$RUN" --experiments "$$EXPERIMENTS"

verify: harness ## redraw the archived reference run and compare the figures' bytes
	@$(LAB) verify

bench: harness ## compare our kernels with JMH and our IO with fio (about half an hour)
	@$(LAB) bench

doctor: ## say what this machine has, what is missing and how to get it
	@sh harness/doctor.sh
	@test ! -x $(LAB) || $(LAB) doctor

harness: $(READY) $(JAR) $(C_BUILD)/lab-harness

lint: $(READY) ## format and lint checks of Python, Java and C
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

lock: ## rewrite requirements.lock from pyproject.toml
	@$(PYTHON) -m venv build/uv && build/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	@build/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	    --no-annotate --extra test pyproject.toml -o requirements.lock

clean: ## remove everything generated except measured runs
	rm -rf build $(VENV) harness/java/target harness/jmh/target $(C_BUILD)

$(READY): requirements.lock pyproject.toml
	@sh harness/doctor.sh python
	@echo 'Setting up the Python environment (once, about 2 minutes) ...'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(JAR): $(JAVA_SOURCES)
	@sh harness/doctor.sh java
	@echo 'Building the Java harness ...'
	@mvn -q -B -Dstyle.color=never -f harness/java/pom.xml package -DskipTests
	@touch $@

$(C_BUILD)/lab-harness: $(C_SOURCES)
	@sh harness/doctor.sh c
	@echo 'Building the C harness ...'
	@$(MAKE) --no-print-directory -s -C harness/c all
	@touch $@
