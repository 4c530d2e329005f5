#!/usr/bin/env python3
"""Measures Lockstep beside what people would use instead, in one run: `scripts/bench --peers [--runs N] [ROW...]`.

Each row is measured N times. In each run the peers take turns, so that other work of the machine affects all of them. The
results are written to Benchmarks/RESULTS.md and Benchmarks/plots, and those of several servers on one database to
Benchmarks/SERVERS.md."""

import argparse
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import plots
import libraries
import results
import rows
from daemons import Certificates
from machine import Failed, Folder, REPOSITORY, adopt_orphans, allow_many_files, end_all, run


class Load:
    """The load's process, which runs inside a `with` block, with its connections open."""

    def __init__(self, program, mode, daemon, connections, folder, team):
        self.words = [program, mode, daemon.messages.protocol, ",".join(map(str, daemon.ports)), connections, folder, *([team] if team else [])]

    def __enter__(self):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *map(str, self.words)], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            _, opening, worked, again = self.read().split()
        except BaseException:
            self.__exit__()
            raise
        self.opening, self.opening_worked, self.came_again = float(opening), float(worked), int(again)
        return self

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            said = self.process.stderr.read().strip()
            raise Failed(said or f"the load ended with {self.process.wait()}")
        return line

    def go(self):
        """Sends the requests, and returns the figures."""
        self.begin()
        return json.loads(self.read())

    def begin(self):
        """Lets the load send the requests."""
        try:
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            # The load has ended; `read` reports its error.
            pass

    def end(self):
        """Ends a load with a rate, and returns the figures."""
        self.process.stdin.close()
        return json.loads(self.read())

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
            self.process.wait(20)
        except BrokenPipeError:
            self.process.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Bench:
    """The resources of all rows: the folder, the built programs, the certificates, and the prepared scripts."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = folder.new("programs")
        here = Path(__file__).parent
        postgres = run("pkg-config", "--cflags", "--libs", "libpq").split()
        for name, linked in (
                ("load", ["-lssl", "-lcrypto"]), ("store", ["-lssl", "-lcrypto", "-lsqlite3", *postgres]), ("replay", [])):
            run(
                "cc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", self.programs / name,
                here / f"{name}.c", *linked)
        self.certificates = Certificates(folder.new("tls"))
        self.folders = {}

    def made(self, key, make):
        """Returns a folder of scripts that is the same for each run. It is made once."""
        if key not in self.folders:
            folder = self.folder.new("scripts")
            (folder / "client.pem").symlink_to(self.certificates.folder / "client.pem")
            make(folder)
            self.folders[key] = folder
        return self.folders[key]

    def load(self, mode, daemon, connections, folder, team=0):
        """Returns the load. Each `team` consecutive connections form a team, and open in turn."""
        return Load(self.programs / "load", mode, daemon, connections, folder, team)

    def drop(self, folder):
        """Removes a folder of scripts if only one run uses it."""
        if folder not in self.folders.values():
            shutil.rmtree(folder)

    def forget(self):
        """Removes the scripts of a row, because some are big."""
        for folder in self.folders.values():
            run("rm", "-rf", folder)
        self.folders = {}


def measure(bench, wanted, runs):
    """Returns the figures of each run by row and peer, and the reason for each row and peer without figures."""
    figures, missing = {}, {}
    for row in wanted:
        there = []
        for peer in row.peers:
            if peer.is_there():
                there.append(peer)
            else:
                missing[row.name, peer.name] = "not installed"
        for number in range(runs):
            # Each peer by itself, or all of them at once.
            for lot in [there] if row.is_together else [[peer] for peer in there]:
                if any((row.name, peer.name) in missing for peer in lot):
                    continue
                try:
                    measured = row.measure(bench, lot) if row.is_together else [row.measure(bench, lot[0])]
                    leading = [row.leading(figure) for figure in measured]
                except (Failed, OSError, ValueError) as why:
                    for peer in lot:
                        missing[row.name, peer.name] = str(why)
                    print(f"{row.name}: {lot[0].name}: {why}", flush=True)
                    continue
                for peer, figure, (first, unit) in zip(lot, measured, leading):
                    figures.setdefault((row.name, peer.name), []).append(figure)
                    print(f"{row.name}, run {number + 1}: {peer.name}: {figure[first]:,.4g} {unit}", flush=True)
        bench.forget()
    return figures, missing


def end(number, _):
    raise SystemExit(128 + number)


def main():
    every = rows.all_rows()
    parser = argparse.ArgumentParser(prog="scripts/bench --peers", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the libraries")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "Benchmarks", help="where the results go")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="some of: " + " ".join(row.name for row in every))
    chosen = parser.parse_args()
    unknown = set(chosen.rows) - {row.name for row in every}
    if unknown or chosen.runs < 1:
        parser.error(f"there is no row {', '.join(unknown)}" if unknown else "at least one run")
    wanted = [row for row in every if not chosen.rows or row.name in chosen.rows]
    libraries.Library.python = chosen.python
    # In the background, this process and its children would otherwise ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for caught in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(caught, end)
    allow_many_files()
    adopt_orphans()
    folder = Folder()
    began = time.time()
    try:
        figures, missing = measure(Bench(folder), wanted, chosen.runs)
        for page in results.PAGES:
            rows_of_page = [row for row in wanted if row.page is page]
            if rows_of_page:
                results.write(chosen.output, page, rows_of_page, figures, missing, chosen.runs, folder.path, began)
        plots.write(chosen.output / "plots", wanted, figures)
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        end_all()
        folder.remove()


if __name__ == "__main__":
    main()
