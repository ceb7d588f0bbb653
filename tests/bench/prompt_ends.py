"""What is computed again of a prompt that ends on a boundary, by which of its last two boundaries is marked.

`python -m tests.bench.prompt_ends` plays the spec natively, one request after the other, for prompts of two to sixteen
intervals, and counts at the last admission how many of the prompt's tokens no cached state covers.
"""

from __future__ import annotations

from spec.actions import admit, device, prefill, prepare, process
from spec.design import Design
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import State, initial

INTERVAL = 16
PROMPTS = [INTERVAL * count for count in range(2, 17)]
SHORT, LONG = 8, 24
"""Tokens that a request produces: fewer than an interval has, and more."""

USES = {
    "the same prompt, second time": ((SHORT,), 0),
    "the same prompt, third time": ((SHORT, SHORT), 0),
    "one that goes on, after a short output": ((SHORT,), SHORT + 1),
    "one that goes on, after a long output": ((LONG,), LONG + 1),
    "one that goes on, after the prompt came twice": ((SHORT, SHORT), SHORT + 1),
}
"""What each earlier request with the prompt has produced, and how much longer the last prompt is."""


class MarksTheEnd(Design):
    """Ours, but a prompt that ends on a boundary marks that one."""

    def marks_before_the_end(self, cached: bool) -> bool:
        """The newest boundary, always."""
        return False


def serve(s: State, design: Design, prompt: int, produce: int) -> None:
    """Let a request prefill, produce some tokens and finish."""
    admit(s, design, 0, 0, prompt, ABSENT)
    prefill(s, design, 0, ABSENT)
    for left in range(produce, -1, -1):
        device(s, design)
        process(s, design, (left == 0,), (0,), ABSENT)
        if left:
            prepare(s, design, (True,), (0,), (False,), ABSENT)


def again(kind: type[Design], prompt: int, produced: tuple[int, ...], longer: int) -> int:
    """Return how many tokens of a prompt the last request computes that an earlier one has computed."""
    design = kind(Scope.parse(f"requests=1 slots=16 nodes=16 interval={INTERVAL} max_len=400"))
    s = initial(design.scope)
    for produce in produced:
        serve(s, design, prompt, produce)
    admit(s, design, 0, 0, prompt + longer, ABSENT)
    return max(0, prompt - s.requests[0].prefix)


def main() -> None:
    """Print the means."""
    print(f"tokens of a prompt that are computed again, mean of {len(PROMPTS)} prompts, interval {INTERVAL}")
    print(f"{'':>45} {'marks its end':>15} {'the one before':>15}")
    for use, (produced, longer) in USES.items():
        means = [
            sum(again(kind, prompt, produced, longer) for prompt in PROMPTS) / len(PROMPTS)
            for kind in (MarksTheEnd, Design)
        ]
        print(f"{use:>45} {means[0]:>15.1f} {means[1]:>15.1f}")


if __name__ == "__main__":
    main()
