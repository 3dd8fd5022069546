# Two commands matter: `make demo` and `make test`. `make help` lists the rest.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# Two packages at a time: each brings browsers of its own.
GO_TEST := go test -p 2
LINT := go tool -modfile=lint/go.mod golangci-lint
ENGINE := bin/engine

# Puts a working browser into the environment of the rest of the recipe.
WITH_CHROMIUM = CDPSUPERVISOR_CHROMIUM="$$(scripts/ensure-chromium.sh)"; export CDPSUPERVISOR_CHROMIUM

.PHONY: help
#? help: this list
help:
	@sed -n 's/^#? //p' Makefile | while IFS=: read -r target text; do printf '  make %-11s%s\n' "$$target" "$$text"; done

.PHONY: build
#? build: the engine, bin/engine
build:
	@mkdir -p bin
	go build -o $(ENGINE) ./cmd/engine

.PHONY: demo
#? demo: installs Chromium if it is missing, and walks through what the engine does on it (ARGS="--json")
demo: build
	@$(WITH_CHROMIUM); $(ENGINE) demo $(ARGS)

.PHONY: test
#? test: everything that must hold before a change lands
test: lint vet unit bridge-e2e e2e inspector

.PHONY: lint
#? lint: the linters of .golangci.yml, in the version that its first line pins
lint:
	@pinned="$$(sed -n '1s/^# golangci-lint //p' .golangci.yml)"; \
	built="$$(sed -n 's|^.*github.com/golangci/golangci-lint/v2 \(v[^ ]*\).*|\1|p' lint/go.mod)"; \
	if [ "$$pinned" != "$$built" ]; then \
		echo ".golangci.yml is written for golangci-lint '$$pinned', lint/go.mod brings '$$built': change both or none" >&2; exit 1; \
	fi
	$(LINT) config verify
	$(LINT) run

.PHONY: vet
#? vet: go vet, and that the code for other systems compiles
vet:
	go vet ./...
	GOOS=darwin go vet ./backends/...
	GOOS=windows go vet ./backends/...

.PHONY: unit
#? unit: all tests but the end-to-end ones, with the race detector, in random order; fuzz seeds are among them
unit:
	@scripts/ensure-cc.sh >/dev/null; $(WITH_CHROMIUM); \
	packages="$$(go list ./... | grep -v /e2e)"; \
	$(GO_TEST) -race -shuffle=on -timeout 10m $$packages

.PHONY: e2e
#? e2e: the engine, end to end on a real Chromium
e2e:
	@if [ ! -d e2e ]; then echo "e2e: no such folder, nothing to run"; exit 0; fi; \
	scripts/ensure-cc.sh >/dev/null; $(WITH_CHROMIUM); \
	$(GO_TEST) -race -count=1 -timeout 20m ./e2e/...

.PHONY: bridge-e2e
#? bridge-e2e: the dialog bridge against a real Playwright; installs Node.js and playwright-core if they are missing
bridge-e2e:
	@node="$$(scripts/ensure-node.sh)"; export PATH="$$(dirname "$$node"):$$PATH" PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1; \
	scripts/ensure-cc.sh >/dev/null; $(WITH_CHROMIUM); \
	[ -d e2e/testdata/playwright/node_modules/playwright-core ] || (cd e2e/testdata/playwright && npm ci --no-audit --no-fund); \
	BRIDGE_E2E=1 $(GO_TEST) -race -count=1 -timeout 10m -run 'TestBridgePlaywright' ./e2e/

.PHONY: inspector
#? inspector: the MCP Inspector as a second client of engine mcp; installs Node.js and the inspector if they are missing
inspector: build
	@scripts/mcp-inspector.sh $(ENGINE)

.PHONY: bench
#? bench: what an event costs, here and in other clients (ROUNDS=5 SCALE=1 ONLY="burst,churn"); takes a while
bench: ROUNDS ?= 5
bench: SCALE ?= 1
bench: ONLY ?=
bench: bench-build
	bin/bench-suite -rounds $(ROUNDS) -scale $(SCALE) -only "$(ONLY)"

.PHONY: bench-build
bench-build:
	@mkdir -p bin
	go build -o bin/bench-client ./bench/client
	go build -o bin/bench-suite ./bench/suite
	cd bench/peers && go build -o ../../bin/bench-peers .
	@if command -v npm >/dev/null && [ ! -d bench/peers/node/node_modules ]; then \
		cd bench/peers/node && npm ci --silent || echo "bench: no packages for Node, its clients are left out" >&2; \
	fi
	@if [ -x /usr/bin/python3 ] && ! /usr/bin/python3 -c 'import websockets' 2>/dev/null; then \
		scripts/apt-install.sh python3-websockets || echo "bench: no python3-websockets, Python is left out" >&2; \
	fi

.PHONY: bench-check
#? bench-check: compares the figures of the last make bench with their bounds
bench-check:
	@go run ./bench/suite -check bench/report.json

.PHONY: bench-micro
#? bench-micro: the micro-benchmarks, for benchstat (COUNT=6 RUN=.)
bench-micro: COUNT ?= 6
bench-micro: RUN ?= .
bench-micro:
	@go test -run '^$$' -bench '$(RUN)' -benchmem -count $(COUNT) ./bench ./cdpwire ./actors/frametree

.PHONY: sim
#? sim: seeded simulations of engine and browser, on all cores (SEEDS=1000, FROM=1, or SEED=n for one; SIM_OUT=folder)
sim: SEEDS ?= 1000
sim: FROM ?= 1
sim:
	@mkdir -p bin; go test -c -o bin/sim.test ./simulations/sim
	@if [ -n "$(SEED)" ]; then SIM_SEED="$(SEED)" SIM_OUT="$(SIM_OUT)" bin/sim.test -test.run '^TestSeeds$$' -test.v; exit; fi; \
	cores="$$(getconf _NPROCESSORS_ONLN)"; running=(); \
	for ((i = 0; i < cores; i++)); do \
		SIM_FROM=$$(($(FROM) + i)) SIM_EVERY=$$cores SIM_SEEDS=$$((($(SEEDS) + cores - 1 - i) / cores)) SIM_OUT="$(SIM_OUT)" \
			bin/sim.test -test.run '^TestSeeds$$' -test.timeout 0 & running+=($$!); \
	done; failed=0; for one in "$${running[@]}"; do wait "$$one" || failed=1; done; exit $$failed

.PHONY: fuzz
#? fuzz: each fuzz target for a while (FUZZTIME=10s, PKG=./...)
fuzz: PKG ?= ./...
fuzz: FUZZTIME ?= 10s
fuzz:
	@for package in $$(go list $(PKG)); do \
		for target in $$(go test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package"; \
		done; \
	done

.PHONY: flake
#? flake: one test again and again until it fails (PKG=./registry RUN=TestName)
flake:
	@if [ -z "$(PKG)" ] || [ -z "$(RUN)" ]; then echo "usage: make flake PKG=./registry RUN=TestName" >&2; exit 2; fi
	@mkdir -p bin; scripts/ensure-cc.sh >/dev/null; $(WITH_CHROMIUM); \
	go test -race -c -o bin/flake.test $(PKG); \
	binary="$$PWD/bin/flake.test"; cd $(PKG); round=0; \
	while "$$binary" -test.run '$(RUN)' -test.shuffle on -test.timeout 10m; do round=$$((round + 1)); echo "round $$round passed"; done; \
	echo "failed after $$round good rounds" >&2; exit 1

.PHONY: tidy
#? tidy: formats the code and tidies both module files
tidy:
	$(LINT) fmt
	go mod tidy
	cd lint && go mod tidy

.PHONY: clean
#? clean: removes what was built
clean:
	rm -rf bin
