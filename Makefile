# The only commands a newcomer needs: `make run` and `make test`. Both prepare everything themselves, and are quick when
# nothing changed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

export CARGO_TARGET_DIR ?= $(CURDIR)/target
SCRIPTS := src-tauri/scripts
EVALS ?= ../shared/evals
TRAINING := src-tauri/training
# Where `make reader` writes, and how it trains and measures: make reader TRAIN="--steps 300" MEASURE="--limit 400" tries
# the pipe in minutes.
READER ?= .cache/reader
TRAIN ?=
MEASURE ?=
# The server that `make real-model` takes: llama.cpp, or llama-cpp-python.
REAL_SERVER ?= llama.cpp
# Arguments for the application: make run ARGS="--data-dir /tmp/try"
ARGS ?=

# The types are left out: the build does not need them, only its checks do.
UI_SOURCES := $(shell find ui -path ui/node_modules -prune -o -path ui/dist -prune -o -type f ! -path ui/src/api/schema.ts -print)

API_SOURCES := $(shell find src-tauri/crates/api/src src-tauri/crates/domain/src -name '*.rs')

.PHONY: help setup model types ui app run test soak e2e bench bench-sources bench-quality overlap reader real-model lint

help: ## this list
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: ## system packages, tools, the page's packages
	@$(SCRIPTS)/system_packages.sh build window test
	@$(SCRIPTS)/toolchain.sh
	@$(MAKE) --no-print-directory ui/node_modules/.installed tests/conformance/node_modules/.installed \
		.cache/openai-venv/.installed .cache/synapse-venv/.installed

# The lock file decides and is not written. Not `npm ci`: that one refuses a lock in which the binaries of other
# platforms are missing, as they are on some mirrors.
%/node_modules/.installed: %/package-lock.json %/package.json
	npm --prefix $* install --no-save --no-fund --no-audit --loglevel=error
	@touch $@

model: ## the local models, into the data directory: the embedding model and the reader
	@python3 $(SCRIPTS)/prepare_model.py

ui: ui/dist/index.html ## the page, built

ui/dist/index.html: ui/node_modules/.installed $(UI_SOURCES)
	npm --prefix ui run --silent build
	@touch $@

app: ui ## the desktop application, optimised
	@$(SCRIPTS)/system_packages.sh build window
	cargo build --release --locked -p keepsake-app -p keepsake-server

types: ui/src/api/schema.ts ## the TypeScript types of the API, made from the Rust ones

ui/src/api/schema.ts: $(API_SOURCES)
	@cargo run --quiet --locked -p keepsake-api --bin keepsake-types > $@.new
	@mv $@.new $@

# Without a display the same page is served on loopback. Without its model the application still works, and says so.
run: ## builds and opens Keepsake
	@if [[ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]]; then $(SCRIPTS)/system_packages.sh build window; \
	  else $(SCRIPTS)/system_packages.sh build; fi
	@$(SCRIPTS)/toolchain.sh
	@$(MAKE) --no-print-directory ui
	@$(MAKE) --no-print-directory model || echo "Going on without the embedding model: search works by keywords." >&2
	@if [[ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]]; then \
	  cargo build --release --locked -p keepsake-app -p keepsake-server && exec "$$CARGO_TARGET_DIR/release/keepsake-app" $(ARGS); \
	else \
	  echo "There is no display; serving the same page on this machine alone."; \
	  cargo build --release --locked -p keepsake-server && exec "$$CARGO_TARGET_DIR/release/keepsake" $(ARGS) serve; \
	fi

test: setup ui model ## every check and test, the real window included
	@$(SCRIPTS)/test.sh

soak: setup model ## the long form of tests that `make test` runs short: 2,000 pairs of noninterference, 20,000 mails, 10,000 messages of a room, a gigabyte of each format
	KEEPSAKE_PAIRS=2000 cargo test --workspace --lib --locked -- noninterference
	KEEPSAKE_SOAK=1 cargo test --workspace --test connectors --locked -- --nocapture disconnects_restarts_and_kills arrives_once
	KEEPSAKE_HUGE_MB=1024 cargo test --release -p keepsake-importers --locked --test memory -- --nocapture

e2e: setup ui model ## the real window alone; screenshots go to e2e-artifacts/
	cargo build --workspace --bins --locked
	KEEPSAKE_APP="$$CARGO_TARGET_DIR/debug/keepsake-app" KEEPSAKE_CLI="$$CARGO_TARGET_DIR/debug/keepsake" \
	  node --test --test-concurrency=1 tests/e2e/specs/

bench: setup ui model ## figures, printed
	cargo bench --workspace --exclude keepsake-app --locked --bench '*'
	cargo build --release --locked -p keepsake-app -p keepsake-server
	KEEPSAKE_APP="$$CARGO_TARGET_DIR/release/keepsake-app" KEEPSAKE_CLI="$$CARGO_TARGET_DIR/release/keepsake" \
	  node tests/e2e/benches/window.mjs

bench-sources: setup ## 20 sources and a million messages: rate and memory of each import, and the start (KEEPSAKE_BENCH_MESSAGES=N)
	cargo bench --locked -p keepsake-tests --bench sources

bench-quality: model overlap .cache/reader-venv/.installed ## how good proposals and search are, as one table (EVALS=DIR)
	cargo build --release --locked -p keepsake-server
	@python3 $(SCRIPTS)/bench_quality.py "$$CARGO_TARGET_DIR/release/keepsake" $(EVALS)
	@echo && echo "The reader's labels, on authors held out:"
	@.cache/reader-venv/bin/python $(TRAINING)/measure.py $(TRAINING)/reader --calibration .cache/calibration.json

overlap: ## no line of ours stands in an evaluation set (EVALS=DIR)
	@python3 $(TRAINING)/overlap.py $(EVALS)

.cache/openai-venv/.installed: tests/openai/requirements.txt
	python3 -m venv .cache/openai-venv
	.cache/openai-venv/bin/python -m pip install --quiet --requirement $<
	@touch $@

# A homeserver, which the tests of the Matrix connector start on loopback. It is AGPL, and neither linked nor shipped.
.cache/synapse-venv/.installed: tests/synapse/requirements.txt
	python3 -m venv .cache/synapse-venv
	.cache/synapse-venv/bin/python -m pip install --quiet --requirement $<
	@touch $@

.cache/reader-venv/.installed: $(TRAINING)/requirements.txt
	python3 -m venv .cache/reader-venv
	.cache/reader-venv/bin/python -m pip install --quiet --requirement $<
	@touch $@

# Hours on two cores. dev.jsonl is measured where it is there; no other evaluation set is opened.
reader: .cache/reader-venv/.installed ## trains, measures and exports the local models into .cache/reader
	@for check in parse pairs lives; do python3 $(TRAINING)/$$check.py --check > /dev/null || { python3 $(TRAINING)/$$check.py --check; exit 1; }; done
	@mkdir -p $(READER)
	.cache/reader-venv/bin/python $(TRAINING)/train.py $(READER)/reader.pt $(TRAIN)
	.cache/reader-venv/bin/python $(TRAINING)/statements.py $(READER)/whole.pt --from $(READER)/reader.pt --anew
	.cache/reader-venv/bin/python $(TRAINING)/measure.py $(READER)/whole.pt --calibration $(READER)/calibration.json \
	  $(addprefix --set ,$(wildcard $(EVALS)/extraction/dev.jsonl)) $(MEASURE)
	.cache/reader-venv/bin/python $(TRAINING)/sentences.py $(READER)/sentences.pt
	.cache/reader-venv/bin/python $(TRAINING)/judge.py $(READER)/judge.pt --sentences $(READER)/sentences.pt
	.cache/reader-venv/bin/python $(TRAINING)/export.py $(READER)/whole.pt $(READER)/sentences.pt $(READER)/judge.pt \
	  $(READER)/calibration.json $(READER)/out
	cp $(READER)/out/lower.onnx $(READER)/out/upper.onnx $(READER)/out/statements.onnx $(READER)/out/sentences.onnx \
	  $(READER)/out/judge.onnx $(READER)/out/reader.json $(READER)/out/samples.json $(TRAINING)/reader/
	KEEPSAKE_MODEL_DIR=$(abspath $(READER))/model $(MAKE) --no-print-directory model
	KEEPSAKE_MODEL_DIR=$(abspath $(READER))/model cargo test --workspace --locked --test reader --test local

real-model: ## the model clients against a real server (REAL_SERVER=llama-cpp-python: another, compiled first)
	@$(SCRIPTS)/system_packages.sh build
	@$(SCRIPTS)/real_model.sh $(REAL_SERVER)

lint: setup ui types ## format, clippy, types and lint of the page
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	npm --prefix ui run --silent typecheck
	npm --prefix ui run --silent lint
