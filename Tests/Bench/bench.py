"""Ours beside the peers, alternately in one run: `make bench`.

    bench.py --replbench PROGRAM --traces FOLDER [--rounds 5] [--only trace|micro] [--json]

Each round starts one process of each of replbench, yrs, loro and automerge per case, one after the other, so that a
noisy machine is noisy for all; a figure is the least of the rounds (the median stands beside it in --json). The
table compares it with the aims of the project; the exit code is 0 whatever they say: a benchmark is no test.
Run with a Python that has the packages of requirements.txt beside this file.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# (our metric, peers compared with, the peers' metric, at most this ratio, what it is called)
TEXT = [
    ("import-ms", ["yrs"], "import-ms", {"sequential": 0.6, "concurrent": 1.0}, "import, text read"),
    ("import-ms", ["loro"], "import-ms", {"concurrent": 0.1}, "import, text read"),
    ("updates-ms", ["yrs"], "updates-ms", {"sequential": 0.5, "concurrent": 0.5}, "update by update"),
    ("local-ms", ["loro"], "local-ms", {"sequential": 0.1}, "local, one transaction"),
    ("keystroke-ms", ["yrs", "loro"], "keystroke-ms", {"sequential": 0.3}, "local, a change each"),
    ("open-ms", ["loro"], "open-ms", {"sequential": 1.0, "concurrent": 1.0}, "open snapshot, text read"),
    ("encoded-bytes", ["yrs", "loro", "automerge"], "encoded-bytes", {"sequential": 1.0, "concurrent": 1.0},
     "encoded history"),
    ("memory-bytes", ["yrs", "loro"], "memory-bytes", {"sequential": 1.0, "concurrent": 1.0}, "memory, imported"),
    ("memory-edited-bytes", ["yrs", "loro"], "memory-edited-bytes", {"sequential": 1.0, "concurrent": 1.0},
     "memory, after an edit"),
]
MICRO = [
    ("map-local-ms", ["yrs", "loro"], 0.5, "100,000 map keys, local"),
    ("map-import-ms", ["yrs", "loro"], 0.5, "100,000 map keys, import"),
    ("map-each-ms", ["yrs", "loro"], 0.5, "100,000 map keys, local, a change each"),
    ("map-updates-ms", ["yrs", "loro"], 0.5, "100,000 map keys, update by update"),
    ("map-bytes", ["loro"], 0.5, "100,000 map keys, encoded"),
    ("counter-local-ms", ["loro"], 0.2, "100,000 increments, local"),
    ("counter-import-ms", ["loro"], 0.2, "100,000 increments, import"),
    ("counter-bytes", ["loro"], None, "100,000 increments, encoded"),
    ("replicas-list-1549-ms", ["yrs"], 0.5, "1,549 replicas, one insertion each, list"),
    ("replicas-map-1549-ms", ["yrs"], 0.5, "1,549 replicas, one write each, map"),
    ("replicas-text-1549-ms", ["yrs"], 0.5, "1,549 replicas, one insertion each, text"),
    ("replicas-list-10000-ms", ["yrs"], None, "10,000 replicas, list"),
    ("replicas-map-10000-ms", ["yrs"], None, "10,000 replicas, map"),
    ("b1.1-append-ms", ["yrs", "loro"], None, "B1.1 append, exchanged at once"),
    ("b1.2-string-ms", ["yrs", "loro"], None, "B1.2 one string"),
    ("b1.3-prepend-ms", ["yrs", "loro"], None, "B1.3 prepend"),
    ("b1.4-random-ms", ["yrs", "loro"], None, "B1.4 at random places"),
    ("b2.1-same-place-ms", ["yrs", "loro"], None, "B2.1 merge at one place"),
    ("b2.2-scattered-ms", ["yrs", "loro"], None, "B2.2 merge of scattered insertions"),
]


def lines(command):
    """The JSON lines of a program: metric to value. A failure is told and gives nothing."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr[-500:]}", file=sys.stderr)
        return {}
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            one = json.loads(line)
            found[one["metric"]] = one["value"]
    return found


def measure(case, commands, rounds):
    """Per program and metric: the values of all rounds. Automerge gives sizes only, and gets two."""
    values = {name: {} for name in commands}
    for number in range(rounds):
        for name, command in commands.items():
            if name == "automerge" and number >= 2:
                continue
            print(f"{case}: round {number + 1} of {rounds}, {name:<12}", end="\r", file=sys.stderr, flush=True)
            for metric, value in lines(command).items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    values[name].setdefault(metric, []).append(value)
    print(" " * 70, end="\r", file=sys.stderr)
    return values


def least(values, name, metric):
    found = values.get(name, {}).get(metric)
    return min(found) if found else None


def row(values, ours, peers, theirs, limit, title, case):
    mine = least(values, "repld", ours)
    others = {peer: least(values, peer, theirs) for peer in peers}
    others = {peer: value for peer, value in others.items() if value}
    if mine is None or not others:
        return None
    best = min(others, key=others.get)
    median = {
        name: statistics.median(values[name][metric])
        for name, metric in [("repld", ours)] + [(peer, theirs) for peer in others]
    }
    ratio = mine / others[best]
    return {
        "case": case, "what": title, "metric": ours, "repld": mine, "best": best, "peers": others,
        "median": median, "ratio": round(ratio, 3), "limit": limit,
        "met": None if limit is None else ratio <= limit,
    }


def shown(value, metric):
    if metric.endswith("-bytes"):
        return f"{value / 1e6:.2f} MB" if value >= 1e6 else f"{value / 1e3:.1f} KB"
    return f"{value:.0f} ms" if value >= 100 else f"{value:.2f} ms"


def table(rows):
    print(f"{'case':<18} {'what':<42} {'repld':>10} {'best peer':>22} {'ratio':>7} {'aim':>6}")
    for one in rows:
        peer = f"{one['best']} {shown(one['peers'][one['best']], one['metric'])}"
        aim = "" if one["limit"] is None else f"{one['limit']:g}"
        mark = "" if one["met"] is None else ("  met" if one["met"] else "  NOT MET")
        print(
            f"{one['case']:<18} {one['what']:<42} {shown(one['repld'], one['metric']):>10} {peer:>22} "
            f"{one['ratio']:>7.2f} {aim:>6}{mark}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replbench", required=True, help="the release program")
    parser.add_argument("--traces", help="a folder of editing traces (.json.gz)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["trace", "micro"])
    parser.add_argument("--json", action="store_true", help="JSON lines instead of the table")
    options = parser.parse_args()
    rows, peer = [], [sys.executable, os.path.join(HERE, "peer.py")]
    with tempfile.TemporaryDirectory() as cache:
        paths = sorted(glob.glob(os.path.join(options.traces, "*.json*"))) if options.traces else []
        for path in paths if options.only != "micro" else []:
            case = os.path.basename(path).split(".json")[0]
            commands = {"repld": [options.replbench, "engine", path, "--repetitions", "1"]}
            for name in ("yrs", "loro", "automerge"):
                commands[name] = [peer[0], peer[1], name, "trace", path, cache]
            values = measure(case, commands, options.rounds)
            kind = "sequential" if least(values, "repld", "local-ms") is not None else "concurrent"
            for ours, peers, theirs, limits, title in TEXT:
                if kind in limits:
                    rows.append(row(values, ours, peers, theirs, limits[kind], title, case))
        if options.only != "trace":
            commands = {"repld": [options.replbench, "micro", "--repetitions", "1"]}
            for name in ("yrs", "loro"):
                commands[name] = [peer[0], peer[1], name, "micro"]
            values = measure("micro", commands, options.rounds)
            for metric, peers, limit, title in MICRO:
                rows.append(row(values, metric, peers, metric, limit, title, "micro"))
    rows = [one for one in rows if one]
    if options.json:
        for one in rows:
            print(json.dumps(one))
    else:
        table(rows)


main()
