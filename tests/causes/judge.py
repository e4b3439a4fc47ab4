#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""judge.py - is what copse finds in the programs of causes.tbl the cause, and
is the gain it tells what the mended variant gains?

usage: tests/causes/judge.py [options] [NAME...]      in the build folder

Each program runs below copse as it is and mended, in turns.  What there is to
gain is the difference of the elapsed times; both are medians of the rounds.  A
control gains nothing: what is measured for it tells how exact the truth is.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Rules that say the same of a kind by other words.
SAME = {"rendezvous": {"late-receiver"}, "strided": {"memory-bound"}}
NEAR = 0.25  # of the truth: a gain is right
MATTERS = 0.05  # of the run: less cannot be measured


def programs(names):
    with open(os.path.join(HERE, "causes.tbl"), encoding="utf-8") as table:
        for line in table:
            if line.startswith("#") or not line.strip():
                continue
            name, language, kind, functions = re.split(r"\s+", line)[:4]
            if not names or name in names:
                yield name, language, kind, functions.split(",")


def report(options, profile, *what):
    out = subprocess.run(
        [options.copse, "report", *what, "-f", "json", profile],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return json.loads(out)["tables"]


def run(options, name, language, scale, mended, to):
    """Elapsed seconds, and the profile."""
    if language == "mpi4py":
        program = [options.python, os.path.join(HERE, name + ".py")]
    else:
        program = [os.path.join("tests/causes", name)]
    command = []
    if options.cores:
        command = ["taskset", "-c", options.cores]
    command += [options.mpirun, "--oversubscribe", "-np", str(options.ranks),
                options.copse, "run", "--quiet", "--page", "off", "--force", "-o", to,
                *program, *(["--mended"] if mended else []), f"{scale:.3g}"]
    subprocess.run(command, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    return report(options, to)["run"][0]["elapsed"]


def one_program(options, folder, name, language, kind, functions):
    scale, plain, mended, gains, first = 1, [], [], [], []
    profile = os.path.join(folder, name + ".copse")
    while len(plain) < options.rounds:
        seconds = run(options, name, language, scale, False, profile)
        if scale == 1 and seconds < options.least:
            scale = min(options.least / max(seconds - 0.3, 0.1), 40)
            continue
        plain.append(seconds)
        found = report(options, profile, "diagnose")["findings"]
        first.append(found[0]["rule"] if found else "none")
        gains.append(found[0]["gain"] if found else 0)
        text = found[0]["text"] if found else ""
        if options.keep and len(plain) == 1:
            shutil.copy(os.path.join(profile, "run.h5"),
                        os.path.join(options.keep, name + ".h5"))
        mended.append(run(options, name, language, scale, True, profile))
    rule = statistics.mode(first)
    truth = statistics.median(plain) - statistics.median(mended)
    return {
        "program": name, "kind": kind, "rule": rule, "scale": scale,
        "right": sum(r == kind or r in SAME.get(kind, ()) for r in first),
        "named": any(f.split("::")[-1] in text for f in functions),
        "elapsed": statistics.median(plain), "truth": truth,
        "spread": max(plain) - min(plain) + max(mended) - min(mended),
        "gain": statistics.median(gains),
    }


def is_near(row):
    return abs(row["gain"] - row["truth"]) <= NEAR * row["truth"]


def say(row, options):
    ratio = row["gain"] / row["truth"] if row["truth"] > 0 else float("nan")
    print(f'{row["program"]:12s} {row["kind"]:18s} {row["rule"]:18s} '
          f'{row["right"]}/{options.rounds} {"yes" if row["named"] else "no":3s}'
          f' {row["elapsed"]:8.3f} {row["truth"]:8.3f} ± {row["spread"] / 2:5.3f}'
          f' {row["gain"]:8.3f} {ratio:6.2f} {"" if is_near(row) else "-"}',
          flush=True)


def arguments():
    parse = argparse.ArgumentParser(description=__doc__)
    add = parse.add_argument
    add("names", nargs="*", metavar="NAME")
    add("--copse", default="./copse")
    add("--mpirun", default="mpirun")
    add("--python", default="/usr/bin/python3", help="has mpi4py and numpy")
    add("--ranks", type=int, default=4)
    add("--cores", help="as taskset takes them: 0-3")
    add("--rounds", type=int, default=3)
    add("--least", type=float, default=2, help="seconds: shorter runs are "
        "made longer")
    add("--keep", metavar="DIR", help="put run.h5 of each first run there")
    add("--json", metavar="FILE")
    return parse.parse_args()


def main():
    options = arguments()
    rows = []
    print(f'{"program":12s} {"kind":18s} {"found first":18s} {"of":3s} {"fn":3s}'
          f' {"elapsed":>8s} {"to gain":>8s}   {"":5s} {"found":>8s} ratio')
    with tempfile.TemporaryDirectory() as folder:
        for name, language, kind, functions in programs(options.names):
            try:
                rows.append(one_program(options, folder, name, language, kind,
                                        functions))
            except (OSError, subprocess.CalledProcessError) as problem:
                print(f"{name:12s} did not run: {problem}", file=sys.stderr)
                continue
            say(rows[-1], options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as to:
            json.dump(rows, to)
    causes = [r for r in rows if r["kind"] != "none"]
    sure = [r for r in causes if r["gain"] and
            r["truth"] > MATTERS * r["elapsed"]]
    print(f'kind right in {sum(r["right"] == options.rounds for r in causes)} '
          f'of {len(causes)}, gain within 25 % in '
          f'{sum(map(is_near, sure))} of {len(sure)}, controls without finding '
          f'{sum(r["rule"] == "none" for r in rows if r["kind"] == "none")} of '
          f'{len(rows) - len(causes)}')


if __name__ == "__main__":
    main()
