"""What the yardstick search costs, beside a plain search of the same protocol, and beside Spin where it is installed.

Usage: python -m tests.bench.run [--plain-large]     (with it the plain search does the large size too, half a minute)

All numbers come from one machine: CPU seconds of a process and its children, the lowest of five runs (of one for the
plain search), and the peak memory of that run. A run whose counts differ from the protocol's fails, since a fast
search of something else says nothing.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

from tests.support.paths import ROOT, TESTS

# The states and transitions of the protocol with three requests and a boundary every two tokens.
EXPECTED = {8: (296_652, 786_282), 16: (2_487_196, 6_662_698)}


class Cost(NamedTuple):
    """What one process used, and what it printed."""

    cpu_seconds: float
    peak_mib: float
    text: str


RUNS = 5


def lowest(measured, n):
    """Measure several times, and return the run that took the least: what others do beside it adds, and never takes."""
    return min((measured(n) for _ in range(RUNS)), key=lambda result: result[0].cpu_seconds)


def measure(command, folder=ROOT):
    """Run a command to its end and return its cost; the kernel counts its children with it."""
    with tempfile.TemporaryFile("w+") as out:
        # As an installation runs, with the bytecode of its modules kept from the run before.
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = subprocess.Popen(list(map(str, command)), cwd=folder, env=env, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with exit code {process.returncode}:\n{text[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def number(text, pattern):
    """Return the one number that the pattern finds, or leave with what was printed instead."""
    found = re.search(pattern, text)
    if found is None:
        sys.exit(f"no number matches {pattern} in:\n{text[-2000:]}")
    return int(found[1])


def counts(text):
    """Return states and transitions from a result, whether it says states=5 or "states": 5."""
    return tuple(number(text, rf'\b{name}\b"?\s*[=:]\s*(\d+)') for name in ("states", "transitions"))


def slotproof(n):
    """Cost and counts of the explorer, without symmetry, so that it visits the same states as the others."""
    model = ["--model", "tests/support/yardstick.py", "--set", "R=3", "--set", f"N={n}", "--symmetry", "none", "--json"]
    cost = measure([sys.executable, "-m", "checker", "explore", *model])
    return cost, counts(cost.text)


def plain(n):
    """Cost and counts of the search that a person would write over tuples."""
    cost = measure([sys.executable, "-m", "tests.bench.plain_search", 3, n])
    return cost, counts(cost.text)


def spin(n):
    """Cost and counts of Spin's search, and the cost of translating and compiling the model before it."""
    with tempfile.TemporaryDirectory() as folder:
        translate = measure(["spin", "-a", "-DR=3", f"-DN={n}", "-DK=2", TESTS / "bench" / "yardstick.pml"], folder)
        options = ["-O2", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DMEMLIM=8000"]
        build = measure(["gcc", *options, "-o", "pan", "pan.c"], folder)
        cost = measure(["./pan", "-m1000000", "-w22"], folder)
    # Spin counts entering the initial state as a transition.
    found = number(cost.text, r"(\d+) states, stored"), number(cost.text, r"(\d+) transitions") - 1
    return cost, found, translate.cpu_seconds + build.cpu_seconds


def line(name, n, cost, reference, note=""):
    """Print one row of the table."""
    ratio = f"{cost.cpu_seconds / reference:8.2f}" if reference else "       -"
    print(f"{name:<14}{n:>4}{cost.cpu_seconds:>10.2f}{cost.peak_mib:>10.0f}  {ratio}  {note}".rstrip(), flush=True)


def main(arguments):
    """Measure, check the counts, print the table."""
    has_spin = bool(shutil.which("spin") and shutil.which("gcc"))
    print(f"{'search':<14}{'N':>4}{'CPU s':>10}{'peak MiB':>10}  {'to plain':>8}")
    for n, expected in EXPECTED.items():
        reference, results = None, []
        if n == min(EXPECTED) or "--plain-large" in arguments:
            results.append(("plain tuples", *plain(n), ""))
            reference = results[0][1].cpu_seconds
        results.append(("slotproof", *lowest(slotproof, n), ""))
        if has_spin:
            *result, compilation = lowest(spin, n)
            results.append(("spin", *result, f"and {compilation:.2f} s to compile the model"))
        for name, cost, found, note in results:
            line(name, n, cost, reference, note)
            if found != expected:
                sys.exit(f"{name} found {found} states and transitions at N={n} instead of {expected}")
    if not has_spin:
        print("Spin is not installed here, so it was not measured.")


if __name__ == "__main__":
    main(sys.argv[1:])
