# Lockstep: one focus session on all your laptops.
#
#   make demo      build, and show three laptops sharing a session through a server
#   make test      everything that must hold before a change goes in
#   make build     the release programs, in .build/release
#   make install   put them, and their systemd units, under PREFIX (after `make build`)
#   make bench     measure
#   make fuzz      look for inputs that break a decoder, for FUZZ_SECONDS (60) each
#   make lint      check the formatting alone
#   make clean     remove what was built

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SYSTEMUNITDIR ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/share/systemd/user

# Looked for once it is needed, so that `make install` works where Swift isn't there.
findSwift = swift=$$(scripts/find-swift) &&
# The Swift runtime goes into the programs, so they run where Swift isn't installed.
release = -c release --static-swift-stdlib
sources = Package.swift Sources Client Server Simulation Benchmarks Fuzz Tests

.PHONY: build demo test bench fuzz lint install clean setup
.DEFAULT_GOAL := build

build: setup
	$(findSwift) for product in focus focusd benchmarks; do "$$swift" build $(release) --product $$product || exit 1; done

demo: build
	scripts/demo

test: setup
	$(findSwift) "$$swift" build --build-tests
	$(MAKE) lint
	$(findSwift) "$$swift" test --skip-build --disable-xctest

bench: build
	scripts/bench

fuzz: setup
	scripts/fuzz

lint:
	$(findSwift) "$$swift" format lint --strict --parallel --recursive $(sources)

install:
	@test -x .build/release/focus -a -x .build/release/focusd || \
	    { echo "Run 'make build' first: .build/release/focus and focusd are not there yet." >&2; exit 1; }
	install -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(SYSTEMUNITDIR)" "$(DESTDIR)$(USERUNITDIR)"
	install -m 755 .build/release/focus .build/release/focusd "$(DESTDIR)$(BINDIR)"
	sed 's|/usr/local/bin|$(BINDIR)|' deploy/focusd.service >"$(DESTDIR)$(SYSTEMUNITDIR)/focusd.service"
	sed 's|/usr/local/bin|$(BINDIR)|' deploy/focus-agent.service >"$(DESTDIR)$(USERUNITDIR)/focus-agent.service"

clean:
	rm -rf .build

setup:
	@scripts/setup
