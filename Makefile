# Lockstep: one focus session on all your laptops.
#
#   make demo      build, and show three laptops sharing a session through a server
#   make test      what proves the main work, in some minutes: before each commit
#   make test-rest the other tests: PostgreSQL, faults, all real programs, the whole page, all shells
#   make test-all  both
#   make sanitize  run the tests under the address sanitizer and the thread sanitizer
#   make worlds    the simulated worlds that a change has to pass, of fixed seeds, each twice
#   make simulate  look for new worlds that break a rule, for SIMULATE_SECONDS (60), from the seed SIMULATE_SEED (the time)
#   make mutants   put defects into a copy of the sources, and see that worlds find each; with MUTANTS="--take 10 --turn 7" some
#   make soak      kill real programs a thousand times, for SOAK_SECONDS (600) at most
#   make build     the release programs, in .build/release
#   make man       the manual's pages, in .build/man (after `make build`)
#   make install   put programs, manual, completions, systemd units, alert rules and dashboard under PREFIX (after `make build`)
#   make deb       two Debian packages, lockstep-focus and lockstep-focusd, in .build/deb
#   make test-deb  install, use, upgrade, remove and purge them in a bare Debian; needs root
#   make release   what a release has, in .build/release-files: packages, an archive for any Linux, checksums, what it is made of
#   make test-release  try the archive in bare systems, Debian 12 and 13 and Ubuntu 22.04; needs root
#   make test-patroni  two servers on a database that Patroni looks after, while its primary is lost in several ways
#   make pictures  the pictures in docs/pictures, from the programs
#   make bench     measure, and measure beside what people would use instead, which is installed; see docs/performance.md
#   make counts    count instructions and allocations, and see that there aren't more than there were
#   make fuzz      look for inputs that break a decoder, for FUZZ_SECONDS (60) each
#   make check-tls  hold a server's TLS against testssl.sh
#   make lint      check the formatting, and that no name in Python is missing, unused or taken twice
#   make clean     remove what was built

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SYSTEMUNITDIR ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/share/systemd/user
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# Alert rules for Prometheus and a dashboard for Grafana.
DATADIR ?= $(PREFIX)/share/lockstep

# Looked for once it is needed, so that `make install` works where Swift isn't there.
findSwift = swift=$$(scripts/find-swift) &&
sources = Package.swift Sources Client Server Simulation Benchmarks Fuzz Tests

.PHONY: build demo test test-rest test-all sanitize worlds simulate mutants soak bench counts fuzz check-tls lint man install programs deb test-deb release test-release test-patroni \
    pictures clean setup setup-tests setup-packages setup-pictures
.DEFAULT_GOAL := build

build: setup
	scripts/build focus focusd benchmarks

demo: build
	scripts/demo

test: lint
	scripts/test --short

test-rest: setup-tests
	scripts/test --rest

test-all: test test-rest

sanitize: setup
	scripts/sanitize $(SANITIZERS)

worlds: setup
	scripts/worlds

simulate: setup
	scripts/simulate

mutants: setup
	$(findSwift) "$$swift" run simulate --mutants --jobs $$(nproc) $(MUTANTS)

soak: setup-tests
	scripts/soak

deb: build setup-packages
	scripts/deb --check

test-deb: deb
	scripts/test-deb

release: deb
	scripts/release

test-release: release
	scripts/test-release

test-patroni: build
	scripts/try-patroni

pictures: build setup-pictures
	scripts/pictures

bench: build setup-tests
	scripts/bench
	scripts/bench --peers

counts: build setup-tests
	scripts/counts

fuzz: setup
	scripts/fuzz

check-tls:
	$(findSwift) "$$swift" build --product focusd
	scripts/check-tls

lint: setup-tests
	$(findSwift) "$$swift" format lint --strict --parallel --recursive $(sources)
	pyflakes3 $$(grep -rl '^#!.*python3' scripts) Benchmarks/peers/*.py

man: programs
	@install -d .build/man
	@rm -f .build/man/*
	@for program in focus focusd; do for page in $$(.build/release/$$program manual); do \
	    .build/release/$$program manual $$page >.build/man/$$page || exit 1; done; done

programs:
	@test -x .build/release/focus -a -x .build/release/focusd || \
	    { echo "Run 'make build' first: .build/release/focus and focusd are not there yet." >&2; exit 1; }

install: programs
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(SYSTEMUNITDIR)" "$(DESTDIR)$(USERUNITDIR)" \
	    "$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" "$(DESTDIR)$(FISHDIR)" "$(DESTDIR)$(DATADIR)"
	install -m 755 .build/release/focus .build/release/focusd "$(DESTDIR)$(BINDIR)"
	install -m 644 deploy/prometheus-alerts.yml deploy/grafana-dashboard.json "$(DESTDIR)$(DATADIR)"
	install -m 644 deploy/focusd.socket "$(DESTDIR)$(SYSTEMUNITDIR)"
	umask 022; sed 's|/usr/local/bin|$(BINDIR)|' deploy/focusd.service >"$(DESTDIR)$(SYSTEMUNITDIR)/focusd.service"
	umask 022; sed -e 's|/usr/local/bin|$(BINDIR)|' -f deploy/focusd@.sed deploy/focusd.service \
	    >"$(DESTDIR)$(SYSTEMUNITDIR)/focusd@.service"
	umask 022; sed 's|/usr/local/bin|$(BINDIR)|' deploy/focus-agent.service >"$(DESTDIR)$(USERUNITDIR)/focus-agent.service"
	umask 022; for program in focus focusd; do \
	    for page in $$(.build/release/$$program manual); do \
	        folder="$(DESTDIR)$(MANDIR)/man$${page##*.}"; install -d "$$folder" && \
	        .build/release/$$program manual $$page >"$$folder/$$page" || exit 1; done; \
	    .build/release/$$program completion bash >"$(DESTDIR)$(BASHDIR)/$$program" && \
	    .build/release/$$program completion zsh >"$(DESTDIR)$(ZSHDIR)/_$$program" && \
	    .build/release/$$program completion fish >"$(DESTDIR)$(FISHDIR)/$$program.fish" || exit 1; done

clean:
	rm -rf .build

setup:
	@scripts/setup

setup-tests:
	@scripts/setup --tests

setup-packages:
	@scripts/setup --packages

setup-pictures:
	@scripts/setup --pictures
