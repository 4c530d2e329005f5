# Lockstep: one focus session on all your laptops.
#
#   make demo      build, and show three laptops sharing a session through a server
#   make test      run the main tests, in some minutes: before each commit
#   make test-rest run the other tests: PostgreSQL, faults, all real programs, the whole page, all shells
#   make check-portable  run what a browser needs in WebAssembly, and compare it with the package
#   make check-web  make the page for browsers, test its scripts in Node, and let a browser be a member of a group
#   make test-all  all of these
#   make sanitize  run the tests under the address sanitizer and the thread sanitizer
#   make worlds    run the simulated worlds with fixed seeds that each change has to pass, each twice
#   make simulate  search new worlds for broken rules, for SIMULATE_SECONDS (60), from the seed SIMULATE_SEED (the time)
#   make mutants   check that worlds find each defect in a copy of the sources;
#                  only some of them with MUTANTS="--take 10 --turn 7"
#   make soak      kill real programs a thousand times, for at most SOAK_SECONDS (600)
#   make build     build the release programs, in .build/release
#   make web       make the page with a device in the browser, in .build/web
#   make man       write the manual's pages to .build/man (after `make build`)
#   make install   install programs, manual, completions, the sound, systemd units, desktop entry, icons, alert rules and
#                  dashboard in PREFIX (after `make build`)
#   make deb       make two Debian packages, lockstep-focus and lockstep-focusd, in .build/deb
#   make test-deb  install, use, upgrade, remove and purge them in a bare Debian; needs root
#   make release   make the files of a release, in .build/release-files: packages, an archive for any Linux, checksums
#                  and a bill of materials
#   make test-release  try the archive in bare systems, Debian 12 and 13 and Ubuntu 22.04; needs root
#   make test-patroni  test two servers on a database that Patroni manages, while its primary fails in several ways
#   make pictures  make the pictures in docs/pictures from the programs
#   make icons     make the desktop's icons again, after a change of the page's icon
#   make bench     measure the programs, and comparable ones, which it installs; see docs/performance.md
#   make counts    count instructions and allocations, and check that they have not grown
#   make fuzz      search for inputs that break a decoder, for FUZZ_SECONDS (60) each
#   make check-tls  check a server's TLS with testssl.sh
#   make lint      check the formatting, and that no name in Python is undefined, unused or redefined
#   make clean     remove everything that was built

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SYSTEMUNITDIR ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/share/systemd/user
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
APPLICATIONDIR ?= $(PREFIX)/share/applications
ICONDIR ?= $(PREFIX)/share/icons
# Alert rules for Prometheus and a dashboard for Grafana.
DATADIR ?= $(PREFIX)/share/lockstep
# The sound of a phase's end.
SOUNDDIR ?= $(PREFIX)/share/sounds/lockstep

# Searched for only if needed, so that `make install` works without Swift.
findSwift = swift=$$(scripts/find-swift) &&
sources = Package.swift Sources Client Server Simulation Benchmarks Fuzz Tests

.PHONY: build demo test test-rest test-all check-portable check-web sanitize worlds simulate mutants soak bench counts fuzz check-tls lint man web install programs deb test-deb release test-release test-patroni \
    pictures icons clean setup setup-tests setup-packages setup-pictures
.DEFAULT_GOAL := build

build: setup
	scripts/build focus focusd benchmarks

demo: build
	scripts/demo

test: lint
	scripts/test --short

test-rest: setup-tests
	scripts/test --rest

test-all: test test-rest check-portable check-web

check-portable: setup-tests
	scripts/check-portable

check-web: setup-tests web
	node --test Tests/WebScripts/*.test.mjs
	scripts/test WebTests

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

deb: build web setup-packages
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
	scripts/desktop-pictures

icons: setup-pictures
	scripts/icons

bench: build setup-tests
	scripts/web || test $$? = 3
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
	pyflakes3 $$(grep -rl '^#!.*python3' scripts) Benchmarks/peers/*.py Tests/Tray/panel.py

web: setup-tests
	scripts/web

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
	    "$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" "$(DESTDIR)$(FISHDIR)" "$(DESTDIR)$(DATADIR)" "$(DESTDIR)$(SOUNDDIR)" \
	    "$(DESTDIR)$(APPLICATIONDIR)"
	install -m 755 .build/release/focus .build/release/focusd "$(DESTDIR)$(BINDIR)"
	install -m 644 deploy/prometheus-alerts.yml deploy/grafana-dashboard.json "$(DESTDIR)$(DATADIR)"
	install -m 644 deploy/bell.wav "$(DESTDIR)$(SOUNDDIR)"
	rm -rf "$(DESTDIR)$(DATADIR)/web"
	if [ -d .build/web ]; then install -d "$(DESTDIR)$(DATADIR)/web" && \
	    install -m 644 .build/web/* "$(DESTDIR)$(DATADIR)/web"; \
	else echo "Without the page for browsers: 'make web' makes it."; fi
	install -m 644 deploy/focusd.socket "$(DESTDIR)$(SYSTEMUNITDIR)"
	umask 022; sed 's|/usr/local/bin|$(BINDIR)|' deploy/focusd.service >"$(DESTDIR)$(SYSTEMUNITDIR)/focusd.service"
	umask 022; sed -e 's|/usr/local/bin|$(BINDIR)|' -f deploy/focusd@.sed deploy/focusd.service \
	    >"$(DESTDIR)$(SYSTEMUNITDIR)/focusd@.service"
	umask 022; sed 's|/usr/local/bin|$(BINDIR)|' deploy/focus-agent.service >"$(DESTDIR)$(USERUNITDIR)/focus-agent.service"
	umask 022; sed 's|/usr/local/bin|$(BINDIR)|' deploy/desktop/lockstep.desktop \
	    >"$(DESTDIR)$(APPLICATIONDIR)/lockstep.desktop"
	umask 022; cd deploy/desktop/icons && find hicolor -type f | while read -r icon; do \
	    install -D -m 644 "$$icon" "$(DESTDIR)$(ICONDIR)/$$icon" || exit 1; done
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
