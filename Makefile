# The two commands of the README: `make demo` and `make test`. Everything else is here for people who work on repld.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PACKAGES := libsodium-dev libsqlite3-dev libzstd-dev pkg-config
# Tests that make network namespaces need these; without them they are skipped by name.
TEST_PACKAGES := iproute2 nftables
PREFIX ?= /usr/local
SWIFT ?= swift

# Foundation is in no shipped program, so a static standard library keeps them small and free of the toolchain.
RELEASE := -c release --static-swift-stdlib

.PHONY: help deps build release demo test bench install format

help:
	@echo 'make demo     two nodes on loopback: edited apart, merged (builds what it needs)'
	@echo 'make test     all tests; ends with the summary of swift test'
	@echo 'make deps     install the Debian packages needed: $(PACKAGES)'
	@echo 'make build    debug build            make release  release programs in .build/release'
	@echo 'make bench    beside yrs, loro and automerge on the traces in $$REPL_TRACES, and beside Redis'
	@echo 'make install  programs, units and configuration under PREFIX ($(PREFIX)), as root'
	@echo 'make format   lay out the sources'

deps:
	@Config/packaging/install-packages $(PACKAGES)

build: deps
	$(SWIFT) build

release: deps
	$(SWIFT) build $(RELEASE) --product repld
	$(SWIFT) build $(RELEASE) --product replctl
	$(SWIFT) build $(RELEASE) --product replbench

demo: deps
	@$(SWIFT) build $(RELEASE) --product repld
	@$(SWIFT) build $(RELEASE) --product replctl
	@Config/demo "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

# Unit and law tests run in debug; process tests and traces use the release programs, built once.
test: release
	@Config/packaging/install-packages $(TEST_PACKAGES) || echo 'tests in network namespaces are skipped'
	REPL_PROGRAMS="$$($(SWIFT) build $(RELEASE) --show-bin-path)" $(SWIFT) test --disable-xctest

# Ours and the peers alternately, on the traces of a folder; then the node beside Redis. The peers come from PyPI.
BENCH_VENV := .build/bench-venv
bench: release
	@test -n "$${REPL_TRACES:-}" || { echo 'set REPL_TRACES to a folder of editing traces (.json.gz)'; exit 1; }
	@test -x $(BENCH_VENV)/bin/python || { Config/packaging/install-packages python3-venv; \
	  python3 -m venv $(BENCH_VENV); $(BENCH_VENV)/bin/pip install -q --pre -r Tests/Bench/requirements.txt; }
	@bin=$$($(SWIFT) build $(RELEASE) --show-bin-path); \
	  $(BENCH_VENV)/bin/python Tests/Bench/bench.py --replbench $$bin/replbench --traces "$$REPL_TRACES" $(BENCH_OPTIONS); \
	  redis=--no-redis; if command -v redis-server >/dev/null; then redis=; \
	  else echo 'redis-server is not installed: the node is measured alone'; fi; \
	  $$bin/replbench node --repld $$bin/repld $$redis

install: release
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)/etc/repld $(DESTDIR)/usr/lib/systemd/system \
	  $(DESTDIR)/usr/lib/sysusers.d
	bin=$$($(SWIFT) build $(RELEASE) --show-bin-path); \
	  install -m 0755 $$bin/repld $$bin/replctl $(DESTDIR)$(PREFIX)/bin/
	test -e $(DESTDIR)/etc/repld/repld.toml || install -m 0644 Config/repld.toml $(DESTDIR)/etc/repld/repld.toml
	install -m 0644 Config/sysusers.d/repld.conf $(DESTDIR)/usr/lib/sysusers.d/repld.conf
	sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/repld.service > $(DESTDIR)/usr/lib/systemd/system/repld.service

format:
	$(SWIFT) format --in-place --recursive --configuration .swift-format Package.swift Sources Tests
