# The Lab's entry points. Each sets up what it needs on first use, `make report` without the tools of the tests.
PROFILE ?= quick
RUN ?= $(PROFILE)
EXPERIMENTS ?=
FIGURE ?=
FOR ?=
WAIT ?= 0
MORE ?=
PREVIEW ?= yes
FLEET ?= fleet.yaml
JDKS ?=
CLAIMS ?=
ROOM ?= kit
SEED ?= 1
COUNT ?= 50
QUICK ?=
export PROFILE RUN EXPERIMENTS FIGURE FOR WAIT MORE PREVIEW CLAIMS FLEET JDKS BEFORE AFTER FILES UNIT LIMIT ROOM SEED COUNT # quotes and blanks in them reach the program as they are
# Set-up compiles no Python: each module is, once, where it is first imported. Without this, every notebook would do it again.
unexport PYTHONDONTWRITEBYTECODE
# Variables of this command line are for the report: no make below, as that of the C harness, is to take one for its own.
unexport MAKEFLAGS

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LAB := $(BIN)/lab
# One file per group of packages: made when the group is installed as its lock file says.
UV := $(VENV)/.uv
READY := $(VENV)/.ready
TEST_READY := $(VENV)/.ready-test
IMPORT_READY := $(VENV)/.ready-import
JAR := harness/java/target/lab-harness.jar
WHITEBOX_JAR := harness/java/target/lab-whitebox.jar
C_BUILD := harness/c/build

JAVA_SOURCES := $(shell find harness/java/src/main harness/java/src/whitebox harness/java/pom.xml -type f 2>/dev/null)
C_SOURCES := $(shell find harness/c -type f -not -path '*/build/*' -not -path '*/test/*' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help report test prove check lint format lab figures compare import versus place kit verify bench fleet parcel doctor clean harness mutants lock

help: ## list the targets and variables
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12
	@echo
	@echo 'Variables: PROFILE=smoke|quick|full (default quick)  RUN=name (default: the profile)'
	@echo '           EXPERIMENTS=a,b (default all)  WAIT=minutes for a quiet host (default 0)'
	@echo '           MORE=minutes on what is undecided (default 5 in quick, 30 in full)  CLAIMS=C38,C73 only for these'
	@echo '           PREVIEW=no: no first report when what the answers need is measured once'
	@echo '           FLEET=file of machines (default fleet.yaml)  JDKS=home:home or none, of a parcel'
	@echo '           LAB_JDKS=home:home  LAB_IO_DIR=folder'

report: harness ## measure here (or resume), fit, draw, and write build/report/index.html
	@$(LAB) report --profile "$$PROFILE" --run "$$RUN" --experiments "$$EXPERIMENTS" --wait "$$WAIT" --more "$$MORE" --claims "$$CLAIMS" --preview "$$PREVIEW"

test: harness $(TEST_READY) $(IMPORT_READY) ## all tests: Python, Java, C, notebooks and a whole smoke report
	@sh tests/run-all.sh

prove: harness $(TEST_READY) $(IMPORT_READY) ## what takes long and rarely fails: studies, kills, thinned runs, hosts at once, builds anew
	@sh tests/prove.sh

check: harness $(TEST_READY) ## lint, and the quick tests that start no process
	@sh tests/check.sh

lint: $(TEST_READY) ## format and lint checks of Python, notebooks, Java and C; every part runs
	@sh tests/lint.sh

format: $(TEST_READY) ## format Python, notebooks, Java and C
	@sh tests/lint.sh --fix

lab: harness ## open JupyterLab to explore runs
	@JUPYTER_CONFIG_PATH="$$PWD/pipeline/explore/jupyter$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" \
		$(BIN)/python -m pipeline.ground.arithmetic $(BIN)/jupyter lab --log-level=ERROR $(LAB_OPTIONS)

figures: harness ## redraw a run without measuring: make figures RUN=reference
	@$(LAB) figures --run "$$RUN" --experiments "$$EXPERIMENTS"

compare: harness ## what changed between two runs or JDKs: make compare BEFORE=run AFTER=run, or BEFORE=quick:jdk17 AFTER=quick:jdk25
	@$(LAB) compare "$$BEFORE" "$$AFTER" --experiments "$$EXPERIMENTS" --pages

import: $(READY) ## your own logs, JMH, fio or CSV files as a run: make import BEFORE='old/*.hlog' AFTER='new/*.hlog' AS=name
	@$(LAB) import --as "$$AS" --unit "$$UNIT" --limit "$$LIMIT" -- $${BEFORE:+"before=$$BEFORE"} $${AFTER:+"after=$$AFTER"} $${FILES:+"$$FILES"}

versus: $(READY) ## two builds of your program in turn: make versus BEFORE='./old --bench' AFTER='./new --bench'
	@$(LAB) versus --as "$$AS" -- "old=$$BEFORE" "new=$$AFTER"

place: harness ## where this host stands among others and what is odd about it: make place PROFILE=smoke
	@$(LAB) measure --profile "$$PROFILE" --run "$$RUN" --experiments "$$EXPERIMENTS" --wait "$$WAIT" --more "$$MORE" --claims "$$CLAIMS"
	@$(LAB) place "$$RUN"

kit: harness ## text to paste, pictures and citation of a figure: make kit FIGURE=lock_scaling FOR=hugo
	@$(LAB) kit --run "$$RUN" --for "$$FOR" -- "$$FIGURE"

verify: harness ## redraw the archived reference run and compare the figures' bytes
	@$(LAB) verify

bench: harness ## compare our kernels with JMH and our IO with fio (about half an hour)
	@$(LAB) bench

fleet: harness ## the same questions on many machines: make fleet FLEET=fleet.yaml
	@$(LAB) fleet doctor "$$FLEET" || [ $$? = 1 ]
	@$(LAB) fleet push "$$FLEET" || [ $$? = 1 ]
	@$(LAB) fleet run "$$FLEET"; ended=$$?; $(LAB) fleet report "$$FLEET" && exit $$ended

parcel: harness ## one file that measures where nothing can be installed: make parcel, or JDKS=none without a JDK
	@$(LAB) parcel --jdks "$$JDKS"

mutants: $(TEST_READY) ## do the tests notice: mutants of a room, and its tests on each: make mutants ROOM=kit SEED=1
	@sh harness/python.sh mutants
	@OPENBLAS_NUM_THREADS=1 nice -n 10 $(BIN)/python tests/mutants "$$ROOM" --seed "$$SEED" --count "$$COUNT" $(if $(QUICK),--quick)

doctor: ## list what this machine has, what is missing and how to install it
	@sh harness/doctor.sh
	@test ! -x $(LAB) || $(LAB) doctor

harness: $(READY) $(JAR) $(WHITEBOX_JAR) $(C_BUILD)/lab-harness

lock: $(UV) ## rewrite the five lock files from pyproject.toml
	@sh harness/python.sh lock

clean: ## remove everything generated except measured runs
	rm -rf build $(VENV) harness/java/target harness/jmh/target $(C_BUILD)

$(UV): requirements-uv.lock
	@sh harness/doctor.sh python
	@PYTHON='$(PYTHON)' sh harness/python.sh uv
	@touch $@

$(READY): $(UV) requirements.lock pyproject.toml
	@sh harness/python.sh sync
	@touch $@

$(TEST_READY): $(READY) requirements-test.lock
	@sh harness/python.sh sync test
	@touch $@

$(IMPORT_READY): $(READY) requirements-import.lock
	@sh harness/python.sh sync import
	@touch $@

# Without a locale, as in most containers, Java reads no path with an umlaut.
$(JAR) $(WHITEBOX_JAR) &: $(JAVA_SOURCES)
	@sh harness/doctor.sh java
	@echo 'Set-up 3/4: the Java harness ...'
	@told=$$(LC_ALL=C.UTF-8 mvn -q -B -Dstyle.color=never -f harness/java/pom.xml package -DskipTests 2>&1) || { echo "$$told" >&2; exit 1; }
	@touch $(JAR) $(WHITEBOX_JAR)

$(C_BUILD)/lab-harness: $(C_SOURCES)
	@sh harness/doctor.sh c
	@echo 'Set-up 4/4: the C harness ...'
	@$(MAKE) --no-print-directory -s -j "$$(nproc)" -C harness/c all
	@touch $@
