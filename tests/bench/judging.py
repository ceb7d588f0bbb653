"""What it costs to judge a trace, beside what it costs to read the same file with the standard library's JSON reader.

Usage: python -m tests.bench.judging

CPU seconds of this process: long correct traces in both formats, and corners in which work might grow faster than the
trace. All numbers come from one run; a trace that gets another verdict than expected fails it.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from checker.traces.judge import judge_trace
from tests.support.converted import write_converted
from tests.support.small_trace2 import (
    EAGER,
    STOP,
    begin,
    decode,
    end,
    evict,
    free,
    launch,
    prefill,
    process,
    publish,
    result,
    take,
    write,
)
from tests.support.trace_traffic import long_trace

EVENTS, RUNNING = 100_000, 8


def wrong_publications(count):
    """Slots that no row has written, all published."""
    slots = range(1, count + 1)
    lines = [*begin("A", count + 1, [count + 2, count + 3]), take("A", *slots)]
    return EAGER | {"slots": count + 3}, [*lines, *[publish("A", slot, 2) for slot in slots], STOP]


def pending_marks(count):
    """Rows that each write a checkpoint, all launched before the first result."""
    header = EAGER | {"lookahead": count, "interval": 1}
    lines = [*begin("A", 1, [2, 3]), launch(0, prefill("A", 1, 0, 1, (1, 2)))]
    for b in range(1, count):
        mark = (1 + b, 2 + b % 2)
        lines.append(launch(b, decode("A", 1, 1 + b, mark, count=b, next=(b + 1) % 2, last=1, ring=[2, 3])))
    for b in range(count):
        row = result("A", next=1, last=b % 2, last_len=b + 1, ring=[2, 3], lookahead=count - 1 - b)
        lines.append(process(b, row))
    return header, [*lines, STOP]


def finishes(requests, rounds):
    """Many requests that finish in one result, again and again."""
    numbers = range(requests)
    lines = []
    for b in range(rounds):
        for number in numbers:
            lines += begin(f"R{number}", 1 + 3 * number, [2 + 3 * number, 3 + 3 * number])
        lines.append(launch(b, *[prefill(f"R{n}", 1 + 3 * n, 0, 3, (2, 2 + 3 * n)) for n in numbers]))
        lines.append(process(b, *[result(f"R{n}", done=True) for n in numbers]))
        for n in numbers:
            slot = 2 + 3 * n
            lines += [publish(f"R{n}", slot, 2), free(slot - 1, slot + 1), evict(slot), end(f"R{n}")]
    return EAGER | {"slots": 3 * requests}, [*lines, STOP]


def seconds(work):
    """CPU seconds that something takes, and what it returns."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def report(name, path, expected):
    """Judge a trace, and print what it costs beside reading it as plain JSON."""
    with path.open("rb") as file:
        plain, events = seconds(lambda: sum(1 for line in file if json.loads(line)) - 1)
    cost, verdict = seconds(lambda: judge_trace(path))
    if verdict.outcome != expected:
        sys.exit(f"{name}: {verdict.outcome}, and should be {expected}")
    print(f"{name:44} {events:>9,} {cost:>8.2f} {plain:>8.2f} {cost / plain:>6.1f}")


def main():
    """Print a line for each trace, and the peak memory of all."""
    print(f"{'trace':44} {'events':>9} {'judge':>8} {'json':>8} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = folder / "old.ndjson"
        old.write_bytes(long_trace(EVENTS, RUNNING))
        report(f"{RUNNING} requests at once, format 1", old, "cut")
        (folder / "new").mkdir()
        report(f"{RUNNING} requests at once, format 2", write_converted(old, folder / "new"), "cut")
        for words, (header, lines), expected in (
            ("16,000 wrong publications", wrong_publications(16_000), "bad"),
            ("20,000 pending marks", pending_marks(20_000), "good"),
            ("200 finishes in one result, 20 times", finishes(200, 20), "good"),
        ):
            report(words, write(folder / "corner.ndjson", header, lines), expected)
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
