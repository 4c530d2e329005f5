"""Writes the measurements as a page: medians of the runs with their span, and a description of each peer."""

import time
from dataclasses import dataclass

from machine import REPOSITORY, describe, run
from plots import middle, plot_name


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def cell(values):
    if not values:
        return "–"
    text = number(middle(values))
    least, most = number(min(values)), number(max(values))
    return text if least == most else f"{text} ({least}–{most})"


def table(head, lines):
    return ["| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines]]


def section(row, figures, missing):
    lines = [f"## {row.title}", "", row.text, ""]
    cells = []
    for peer in row.peers:
        runs = figures.get((row.name, peer.name))
        if runs:
            cells.append([peer.name] + [cell([run[name] for run in runs if name in run]) for name, _ in row.columns])
    lines += table(["`" + row.name + "`"] + [f"{name}, {unit}" for name, unit in row.columns], cells)
    absent = [(peer.name, missing[row.name, peer.name]) for peer in row.peers if (row.name, peer.name) in missing]
    if absent:
        lines += [""] + [f"- Missing: {name}: {' '.join(why.split())}" for name, why in absent]
    if cells:
        lines += [""] + [f"![{row.title}: {name}](plots/{plot_name(row, name)}.svg)" for name in row.plotted()]
    return lines + [""]


def peers(rows, figures):
    """Returns a description of each peer, once, in the order of the rows."""
    told = {}
    for row in rows:
        for peer in row.peers:
            if (row.name, peer.name) in figures:
                told.setdefault(peer.name, [peer.name, peer.version(), peer.durability or "–", peer.settings or "–"])
    return list(told.values())


@dataclass(frozen=True)
class Page:
    """A page of results."""

    file: str
    title: str
    # Further notes on the method of measurement.
    how: tuple


BESIDE_OTHERS = Page(
    "RESULTS.md", "Lockstep beside others",
    ("TLS 1.3 with a client's certificate everywhere (P-256, TLS_AES_128_GCM_SHA256), over 127.0.0.1.",))
SERVERS = Page(
    "SERVERS.md", "Several servers on one database",
    ("TLS 1.3 with a client's certificate everywhere, also to the database (P-256), over 127.0.0.1.",
     "All servers, their database and the load share these processors: what several servers are for, more processors than one "
     "machine has, can't be seen here; what they cost can."))
PAGES = (BESIDE_OTHERS, SERVERS)


def write(folder, page, rows, figures, missing, runs, data, began):
    """Writes a page into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    minutes = (time.time() - began) / 60
    openssl = run("openssl", "version").split()[1]
    commit = run("git", "-C", REPOSITORY, "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*").strip()
    lines = [
        f"# {page.title}", "",
        "Written by `scripts/bench --peers`; every figure comes from the run that wrote this page, and none is put in by hand. "
        f"Medians of {runs} {'run' if runs == 1 else 'runs'}, with the least and the greatest in parentheses. "
        f"Measured on {time.strftime('%Y-%m-%d', time.gmtime(began))} at commit {commit}, in {minutes:.0f} minutes.", "",
        "## How", "",
        *[f"- {line}" for line in describe(data)],
        *[f"- {line}" for line in page.how],
        f"- OpenSSL {openssl}.",
        "- The load is `Benchmarks/peers/load.c` for every server: one thread that sends bytes made beforehand and waits for whole "
        "answers. It runs on the same processors, and what it costs is in the tables.",
        "- An event has 150 random bytes; Lockstep's has 144 sealed ones and 18 for its stamp, its epoch and its length.",
        "- The disk may take longer at one moment than at another: where that decides, what an fdatasync of 4 KiB took just "
        "before and after stands beside it.",
        "- Each server starts with nothing stored for each figure. Within a row the peers take turns, run by run.", "",
    ]
    for row in rows:
        lines += section(row, figures, missing)
    lines += ["## What was measured", "", *table(["what", "version", "durability", "settings"], peers(rows, figures))]
    (folder / page.file).write_text("\n".join(lines) + "\n")
