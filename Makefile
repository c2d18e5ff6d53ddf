# The two commands of the README: `make demo` and `make test`. Everything else is here for people who work on repld.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PACKAGES := libsodium-dev libsqlite3-dev libzstd-dev pkg-config
# The tests of faults in real processes need these: network namespaces, failing syncs, clocks, disk images; and those of
# completion, manual pages, API.md, scripts and the screen of notes the shells, mandoc, curl, shellcheck and tmux.
# Without them their suites are skipped by name; once installed, a suite that does not find its tool fails.
TEST_PACKAGES := iproute2 nftables strace libfaketime e2fsprogs bash-completion zsh fish mandoc curl shellcheck tmux
PREFIX ?= /usr/local
SWIFT ?= swift
# The optimizer decides some things by addresses, which are drawn for each process: without this two release builds of
# one commit differ now and then (decision 0221). Where it is not permitted they are built as they come.
STEADY := $(shell setarch --addr-no-randomize true 2>/dev/null && echo setarch --addr-no-randomize)

# What is installed: the one list of it. Each has a manual page, repld in section 8 and the others in 1.
INSTALLED := repld replctl replsim notes
VERSION := $(shell sed -n 's/.*let version = "\(.*\)"/\1/p' Sources/Programs/Release/Release.swift)

# A static standard library keeps the programs free of the toolchain. No source of ours imports Foundation; its small
# part, FoundationEssentials, comes with the argument parser: 10.7 MB of each program's file (Sources/Docs/PERFORMANCE.md).
# Across modules: the node is generic over its store, and small functions of the lower floors are called from all
# others. A tenth of the simulation and of a catch-up (decision 0101).
RELEASE := -c release --static-swift-stdlib -Xswiftc -cross-module-optimization
# Equal sources give equal programs, whatever folder they are in (decision 0221): no path of this folder in debug
# information and in C's assertions, neither by its name nor by hashes of it; no search for libraries beside the
# program.
SHOWN := /usr/src/repld
RELEASE += --disable-local-rpath \
  -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=$(SHOWN) -Xcc -ffile-prefix-map=$(CURDIR)=$(SHOWN) \
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen

.PHONY: help deps build release hunt seeds demo test test-system test-console bench deb tarball install install-files format

help:
	@echo 'make demo     two nodes on loopback: edited apart, merged (builds what it needs)'
	@echo 'make test     all tests; ends with the summary of swift test'
	@echo 'make test-system  the package and its units under a real systemd, in two containers; as root'
	@echo 'make test-console  the page of replctl console in a real browser'
	@echo 'make deps     install the Debian packages needed: $(PACKAGES)'
	@echo 'make build    debug build            make release  release programs in .build/release'
	@echo 'make bench    beside yrs, loro and automerge on the traces in $$REPL_TRACES, and beside Redis'
	@echo 'make seeds    meshes under faults in the simulator (SEEDS=$(SEEDS)); part of make test'
	@echo 'make hunt     finds the planted bugs in a build of its own'
	@echo 'make install  programs, units and configuration under PREFIX ($(PREFIX)), as root'
	@echo 'make deb      Debian packages in .build/deb     make tarball  for other distributions, there too'
	@echo 'make format   lay out the sources'

deps:
	@Config/packaging/install-packages $(PACKAGES)

build: deps
	$(SWIFT) build

release: deps
	@for program in $(INSTALLED) replbench; do \
	  (PS4='+ \t '; set -x; $(STEADY) $(SWIFT) build $(RELEASE) --product $$program); done

# A second build, of the simulator and a fuzzer, with bugs on purpose: tests say of each that it is found, and how.
PLANTED := .build/planted
hunt: deps
	PLANTED_BUGS=1 $(SWIFT) build -c release --scratch-path $(PLANTED) --product replsim
	PLANTED_BUGS=1 REPL_FUZZ=1 $(SWIFT) build -c release --scratch-path $(PLANTED) --product fuzzloop
	REPL_PLANTED="$$(realpath $(PLANTED)/release/replsim)" \
	  REPL_PLANTED_LOOP="$$(realpath $(PLANTED)/release/fuzzloop)" \
	  $(SWIFT) test --disable-xctest --filter 'PlantedBugTests|PlantedReplayTests'

# The two programs that it runs, unoptimised: that builds in less than half the time of a release, and `make test` takes
# over what was built (decision 0159).
demo:
	@test -x .build/debug/replctl || echo 'building repld and replctl: about 2 minutes on 2 processors, the first time'
	@$(MAKE) --no-print-directory deps
	@$(SWIFT) build --product repld
	@$(SWIFT) build --product replctl
	@Config/demo "$$($(SWIFT) build --show-bin-path)"

# Meshes under faults, 10 simulated minutes each, before the tests: both want all processors.
SEEDS := 500
seeds: release
	"$$($(SWIFT) build $(RELEASE) --show-bin-path)/replsim" --seeds $(SEEDS) --jobs "$$(nproc)" --keep-going

# Unit and law tests run in debug; process tests and traces use the release programs, built once.
test: seeds
	@tools=installed; Config/packaging/install-packages $(TEST_PACKAGES) \
	  || { tools=missing; echo 'suites that need one of these are skipped: $(TEST_PACKAGES)'; }; \
	  REPL_FAULT_TOOLS=$$tools REPL_PROGRAMS="$$($(SWIFT) build $(RELEASE) --show-bin-path)" \
	  $(SWIFT) test --disable-xctest

# The package, its units and its sandbox under a real systemd; see Tests/System/system-test. Named as skipped where the
# machine does not let it.
test-system: release
	@Tests/System/system-test "$$($(SWIFT) build $(RELEASE) --show-bin-path)" $(VERSION)

# The console in chromium, in a namespace without a network; see Tests/Console/console-test.
test-console: release
	@Config/packaging/install-packages chromium python3-venv iproute2 || echo 'the packages of the console test are missing'
	@Tests/Console/console-test "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

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
	  GLIBC_TUNABLES=glibc.malloc.tcache_count=4096 $$bin/replbench node --repld $$bin/repld $$redis

# Of what `install-files` gives; see Config/packaging/README.md.
deb tarball: release
	@Config/packaging/make-packages $@ "$$($(SWIFT) build $(RELEASE) --show-bin-path)" $(VERSION) .build/deb

install: release
	@$(MAKE) --no-print-directory install-files PROGRAMS="$$($(SWIFT) build $(RELEASE) --show-bin-path)"

# What packages run: PROGRAMS is a folder of built programs. A config file that is there stays as it is.
install-files: UNITS := $(DESTDIR)/usr/lib/systemd
install-files: SHARE := $(DESTDIR)$(PREFIX)/share
# Where zsh looks: a distribution's packages have a folder of their own, everybody else has site-functions.
install-files: ZSH := $(SHARE)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
# The units name places of PREFIX.
install-files: PLACES := -e 's|=/usr/bin/|=$(PREFIX)/bin/|' -e 's|file:///usr/share/|file://$(PREFIX)/share/|'
install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)/etc/repld $(UNITS)/system $(UNITS)/user \
	  $(DESTDIR)/usr/lib/sysusers.d $(DESTDIR)/usr/lib/tmpfiles.d $(SHARE)/bash-completion/completions \
	  $(ZSH) $(SHARE)/fish/vendor_completions.d $(SHARE)/doc/repld \
	  $(SHARE)/man/man1 $(SHARE)/man/man5 $(SHARE)/man/man8
	install -m 0755 $(INSTALLED:%=$(PROGRAMS)/%) $(DESTDIR)$(PREFIX)/bin/
	test -e $(DESTDIR)/etc/repld/repld.toml || install -m 0644 Config/repld.toml $(DESTDIR)/etc/repld/repld.toml
	install -m 0644 Config/sysusers.d/repld.conf $(DESTDIR)/usr/lib/sysusers.d/repld.conf
	install -m 0644 Config/tmpfiles.d/repld.conf $(DESTDIR)/usr/lib/tmpfiles.d/repld.conf
	for unit in repld.service repld.socket; do \
	  sed $(PLACES) systemd/$$unit > $(UNITS)/system/$$unit; \
	  sed $(PLACES) systemd/user/$$unit > $(UNITS)/user/$$unit; \
	done
	$(PROGRAMS)/replctl completion bash > $(SHARE)/bash-completion/completions/replctl
	$(PROGRAMS)/replctl completion zsh > $(ZSH)/_replctl
	$(PROGRAMS)/replctl completion fish > $(SHARE)/fish/vendor_completions.d/replctl.fish
	$(PROGRAMS)/notes --generate-completion-script bash | sed "1{/^#!/d}" > $(SHARE)/bash-completion/completions/notes
	$(PROGRAMS)/notes --generate-completion-script zsh > $(ZSH)/_notes
	$(PROGRAMS)/notes --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/notes.fish
	install -d $(SHARE)/repld
	install -m 0644 Config/prometheus/repld.rules.yml $(SHARE)/repld/repld.rules.yml
	install -m 0644 Config/grafana/repld.json $(SHARE)/repld/grafana.json
	install -m 0755 Config/prometheus/repld-textfile $(SHARE)/repld/repld-textfile
	for program in $(INSTALLED); do \
	  section=$$([ $$program = repld ] && echo 8 || echo 1); \
	  $(PROGRAMS)/$$program --experimental-dump-help | $(PROGRAMS)/replctl __manual $$program \
	    > $(SHARE)/man/man$$section/$$program.$$section; \
	done
	$(PROGRAMS)/replctl __manual repld.toml < Config/repld.toml > $(SHARE)/man/man5/repld.toml.5
	install -m 0644 Sources/Docs/OPERATING.md Sources/Docs/LOGS.md Sources/Docs/KINDS.md Sources/Docs/API.md \
	  Sources/Docs/COOKBOOK.md Sources/Docs/MODELS.md Sources/Docs/TUTORIAL.md Sources/Docs/CONSOLE.md Config/packaging/copyright $(SHARE)/doc/repld/
	@test -n "$(DESTDIR)" || { echo 'next:'; \
	  echo '  systemd-sysusers && systemd-tmpfiles --create && systemctl daemon-reload'; \
	  echo '  systemctl enable --now repld.socket repld'; }

format:
	$(SWIFT) format --in-place --recursive --configuration .swift-format Package.swift Sources Tests
