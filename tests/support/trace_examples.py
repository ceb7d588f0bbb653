"""The five examples of trace format 2, as text: each with the lines that lead there, and with what makes it bad.

An example starts in the middle of a life. `before` brings it there: a header as the example's title says, admissions,
and every row until then. `after` ends it, and a `stop` makes the trace complete.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

STOP: Final = '{"e":"stop","why":"closed"}'
KNOWS: Final = ["takes", "frees", "evicts", "ends", "copies"]


@dataclass(frozen=True)
class Edit:
    """One change of an example, and the verdict that it must get then."""

    name: str
    old: str
    new: str
    verdict: str = "bad"


@dataclass(frozen=True)
class Example:
    """One example: good as it stands."""

    name: str
    before: tuple[str, ...]
    text: str
    edits: tuple[Edit, ...]
    after: tuple[str, ...] = ()
    """What has to follow for an edit to do its harm: only what is published can be bad."""

    @property
    def lines(self) -> str:
        """Return the whole trace as it stands."""
        return "\n".join((*self.before, self.text.strip(), *self.after, STOP, ""))

    def edited(self, edit: Edit) -> str:
        """Return the whole trace with one change."""
        assert self.lines.count(edit.old) == 1, f"{self.name}, {edit.name}: what it changes is not there exactly once"
        return self.lines.replace(edit.old, edit.new)


def header(mode: str, **rest: object) -> str:
    """Return the header of an engine with 64 slots from 1 on."""
    known = {"trace": 2, "engine": "example 1.0", "mode": mode, "slots": 64, "first_slot": 1}
    return json.dumps({**known, **rest}, separators=(",", ":"))


def prefill(batch: int, pointers: str, marks: str = "") -> str:
    """Return the launch of A's prompt of nine tokens."""
    row = f'"r":"A","kind":"prefill","start":0,"len":9,"reads":null,"writes":1,"marks":[{marks}],"last_chunk":true'
    return f'{{"e":"launch","b":{batch},"rows":[{{{row},{pointers}}}]}}'


def result(batch: int, rest: str) -> str:
    """Return the result of a batch in which A goes on."""
    return f'{{"e":"process","b":{batch},"rows":[{{"r":"A","skipped":false,"done":false,{rest}}}]}}'


def decodes(first: int, last: int) -> Iterator[str]:
    """Yield A's decode steps, from its first batch on, each followed by the result of the batch before it.

    They cross no boundary, and change nothing else. The prompt's result is the caller's: it comes after the first.
    """
    for count, batch in enumerate(range(first, last + 1), 1):
        row = f'"r":"A","kind":"decode","start":{8 + count},"len":{9 + count},"reads":1,"writes":1,"marks":[]'
        yield f'{{"e":"launch","b":{batch},"rows":[{{{row},"count":{count},"same":true}}]}}'
        if count > 1:
            yield result(batch - 1, '"lookahead":1,"same":true')


def life(batch: int, prompt: str, first_result: tuple[str, ...], decoded: int) -> tuple[str, ...]:
    """Return A's prompt in a batch, as many decode steps after it, and its first result in the usual place."""
    first_step, *rest = decodes(batch + 1, batch + decoded)
    return (prompt, first_step, *first_result, *rest)


LAZY: Final = Example(
    "lazy decode with a spare",
    (
        header("lazy", ring=2, interval=8, without_spare="overwrite", lookahead=1, knows=KNOWS),
        '{"e":"take","r":"A","slots":[1,2]}',
        '{"e":"admit","r":"A","working":1,"ring":[2,null],"next":0,"last":0,"hit":null}',
        *life(
            0,
            prefill(0, '"next":0,"last":0,"ring":[2,null]', '{"len":8,"slot":2,"pos":0}'),
            (
                result(0, '"next":0,"last":0,"last_len":null,"ring":[3,null]'),
                '{"e":"take","r":"A","slots":[3]}',
                '{"e":"publish","r":"A","slot":2,"len":8,"stored":true,"replaced_by":3}',
            ),
            5,
        ),
    ),
    """
{"e":"launch","b":6,"rows":[{"r":"A","kind":"decode","start":14,"len":15,"reads":1,"writes":1,"marks":[],"count":6,"next":0,"last":0,"ring":[3,null]}]}
{"e":"process","b":5,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":1,"same":true}]}
{"e":"take","r":"A","slots":[4]}
{"e":"launch","b":7,"rows":[{"r":"A","kind":"decode","start":15,"len":16,"reads":1,"writes":1,"marks":[{"len":16,"slot":4,"pos":1}],"count":7,"next":1,"last":0,"ring":[3,4]}]}
{"e":"process","b":6,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":1,"same":true}]}
{"e":"launch","b":8,"rows":[{"r":"A","kind":"decode","start":16,"len":17,"reads":1,"writes":1,"marks":[],"count":8,"same":true}]}
{"e":"process","b":7,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":1,"next":1,"last":1,"last_len":16,"ring":[null,4]}]}
{"e":"free","slots":[3],"during":7}
""",
    (Edit("the mark goes to the old checkpoint", '{"len":16,"slot":4,"pos":1}', '{"len":16,"slot":3,"pos":1}'),),
    (
        '{"e":"process","b":8,"rows":[{"r":"A","skipped":false,"done":true,"lookahead":0}]}',
        '{"e":"publish","r":"A","slot":4,"len":16,"stored":true}',
        '{"e":"free","slots":[1]}',
        '{"e":"end","r":"A","why":"finish"}',
    ),
)

TAKE_12: Final = '{"e":"take","r":"B","slots":[12],"during":null}'
DONATED: Final = Example(
    "a chunk donated while the next is planned, and a mixed batch that skips a boundary",
    (
        header(
            "eager",
            ring=2,
            interval=8,
            prefill_grid=8,
            grid_from="prefix",
            page=4,
            lookahead=1,
            knows=KNOWS,
        ),
        '{"e":"take","r":"A","slots":[1,2,3]}',
        '{"e":"admit","r":"A","working":1,"ring":[2,3],"next":0,"last":1,"hit":null}',
        *life(
            13,
            prefill(13, '"next":1,"last":1,"ring":[2,3]', '{"len":8,"slot":2,"pos":0}'),
            (
                result(13, '"next":1,"last":0,"last_len":null,"ring":[4,3]'),
                '{"e":"take","r":"A","slots":[4]}',
                '{"e":"publish","r":"A","slot":2,"len":8,"stored":true,"replaced_by":4}',
            ),
            6,
        ),
        '{"e":"take","r":"B","slots":[7,8,9],"during":null}',
    ),
    f"""
{{"e":"admit","r":"B","working":7,"ring":[8,9],"next":0,"last":1,"hit":null}}
{{"e":"launch","b":20,"rows":[{{"r":"B","kind":"prefill","start":0,"len":16,"reads":null,"writes":7,"marks":[{{"len":16,"slot":8,"pos":0}}],"last_chunk":false,"next":1,"last":0,"ring":[8,9]}}]}}
{{"e":"process","b":19,"rows":[{{"r":"A","skipped":false,"done":false,"lookahead":0,"same":true}}]}}
{{"e":"take","r":"B","slots":[10],"during":null}}
{{"e":"publish","r":"B","slot":8,"len":16,"stored":true,"replaced_by":10,"during":null}}
{{"e":"launch","b":21,"rows":[{{"r":"B","kind":"prefill","start":16,"len":29,"reads":7,"writes":7,"marks":[{{"len":24,"slot":9,"pos":1}}],"last_chunk":false,"next":0,"last":1,"ring":[10,9]}},{{"r":"A","kind":"decode","start":15,"len":16,"reads":1,"writes":1,"marks":[],"count":7,"same":true}}]}}
{{"e":"process","b":20,"rows":[{{"r":"B","skipped":false,"done":false,"same":true}}]}}
{{"e":"take","r":"B","slots":[11],"during":null}}
{{"e":"publish","r":"B","slot":9,"len":24,"stored":true,"replaced_by":11,"during":null}}
{{"e":"launch","b":22,"rows":[{{"r":"B","kind":"prefill","start":29,"len":42,"reads":7,"writes":7,"marks":[{{"len":37,"slot":10,"pos":0}}],"last_chunk":false,"next":1,"last":0,"ring":[10,11]}}]}}
{TAKE_12}
""",
    (
        Edit(
            "37 tokens under a key of 36",
            TAKE_12,
            f'{TAKE_12}\n{{"e":"publish","r":"B","slot":10,"len":36,"stored":true,"replaced_by":12,"during":null}}',
        ),
    ),
)

VERIFY: Final = Example(
    "two verifies pending",
    (
        header("eager", ring=2, interval=8, window=4, crossing="counted", lookahead=1, knows=KNOWS),
        '{"e":"take","r":"A","slots":[1,2,3]}',
        '{"e":"admit","r":"A","working":1,"ring":[2,3],"next":0,"last":1,"hit":null}',
        prefill(0, '"next":1,"last":1,"ring":[2,3]', '{"len":8,"slot":2,"pos":0}'),
        result(0, '"next":1,"last":0,"last_len":null,"ring":[5,3]'),
        '{"e":"take","r":"A","slots":[5]}',
        '{"e":"publish","r":"A","slot":2,"len":8,"stored":true,"replaced_by":5}',
    ),
    """
{"e":"launch","b":1,"rows":[{"r":"A","kind":"verify","low":9,"high":13,"tokens":4,"reads":1,"writes":1,"may":[null,3],"count":1,"next":1,"last":0,"ring":[5,3]}]}
{"e":"launch","b":2,"rows":[{"r":"A","kind":"verify","low":10,"high":17,"tokens":4,"reads":1,"writes":1,"may":[null,3],"count":2,"same":true}]}
{"e":"process","b":1,"rows":[{"r":"A","skipped":false,"done":false,"accepted":4,"retained":4,"wrote":null,"lookahead":1,"next":1,"last":0,"last_len":null,"ring":[5,3]}]}
{"e":"launch","b":3,"rows":[{"r":"A","kind":"verify","low":14,"high":21,"tokens":4,"reads":1,"writes":1,"may":[null,3],"count":3,"same":true}]}
{"e":"process","b":2,"rows":[{"r":"A","skipped":false,"done":false,"accepted":3,"retained":3,"wrote":{"len":16,"slot":3},"lookahead":1,"next":0,"last":1,"last_len":16,"ring":[5,3]}]}
{"e":"process","b":3,"rows":[{"r":"A","skipped":false,"done":true,"accepted":2,"retained":1,"wrote":null,"lookahead":0}]}
{"e":"publish","r":"A","slot":3,"len":16,"stored":true}
{"e":"free","slots":[1,5]}
{"e":"end","r":"A","why":"finish"}
""",
    (
        Edit("the boundary was not reached", '"accepted":3,"retained":3', '"accepted":2,"retained":3'),
        Edit("a boundary that the pending row reaches too", '"interval":8', '"interval":4'),
    ),
)

STEP_3: Final = (
    '{"e":"launch","b":3,"rows":[{"r":"A","kind":"decode","start":11,"len":12,"reads":7,"writes":7,"marks":[]}'
)
ADMIT_C: Final = '{"e":"admit","r":"C","hit":{"slot":7,"len":12}}'
ROW_C: Final = '{"r":"C","kind":"prefill","start":12,"len":15,"reads":7,"writes":9,"marks":[],"last_chunk":true}'
PUBLISH_7: Final = '{"e":"publish","r":"A","slot":7,"len":12,"stored":true,"shared":true,"during":null}'
STEP_4: Final = (
    '{"e":"launch","b":4,"rows":[{"r":"A","kind":"decode","start":12,"len":13,"reads":7,"writes":8,"marks":[]}'
)
MOVING: Final = Example(
    "no ring, the working slot moves, a hit is read in place",
    (
        header("none", page=4, lookahead=2),
        '{"e":"admit","r":"A","hit":null}',
    ),
    f"""
{{"e":"launch","b":0,"rows":[{{"r":"A","kind":"prefill","start":0,"len":8,"reads":null,"writes":6,"marks":[],"last_chunk":false}}]}}
{{"e":"publish","r":"A","slot":6,"len":8,"stored":true,"shared":true,"during":null}}
{{"e":"launch","b":1,"rows":[{{"r":"A","kind":"prefill","start":8,"len":10,"reads":6,"writes":7,"marks":[],"last_chunk":true}}]}}
{{"e":"process","b":0,"rows":[{{"r":"A","skipped":false,"done":false}}]}}
{{"e":"launch","b":2,"rows":[{{"r":"A","kind":"decode","start":10,"len":11,"reads":7,"writes":7,"marks":[]}}]}}
{{"e":"process","b":1,"rows":[{{"r":"A","skipped":false,"done":false}}]}}
{STEP_3}]}}
{PUBLISH_7}
{ADMIT_C}
{STEP_4},{ROW_C}]}}
""",
    (
        Edit(
            "a batch reads what it writes",
            f"{STEP_3}]}}\n{PUBLISH_7}\n{ADMIT_C}\n{STEP_4},{ROW_C}]}}",
            f"{ADMIT_C}\n{STEP_3},{ROW_C}]}}\n{PUBLISH_7}\n{STEP_4}]}}",
        ),
    ),
)

TURNS: Final = Example(
    "a turn ends with a row pending, and the next one resumes",
    (
        header("eager", ring=2, interval=16, lookahead=1, knows=[*KNOWS, "sessions"]),
        '{"e":"session","op":"open","s":"S"}',
        '{"e":"take","r":"A","slots":[1,4,3]}',
        '{"e":"admit","r":"A","working":1,"ring":[4,3],"next":0,"last":1,"hit":null}',
        '{"e":"session","op":"take","s":"S","r":"A","working":1,"ring":[4,3],"next":0,"last":1,"last_len":null}',
        *life(
            4,
            prefill(4, '"next":0,"last":1,"ring":[4,3]'),
            (result(4, '"next":0,"last":1,"last_len":null,"ring":[4,3]'),),
            3,
        ),
        result(7, '"lookahead":0,"same":true'),
    ),
    """
{"e":"launch","b":8,"rows":[{"r":"A","kind":"decode","start":12,"len":13,"reads":1,"writes":1,"marks":[],"count":4,"next":0,"last":1,"ring":[4,3]}]}
{"e":"launch","b":9,"rows":[{"r":"A","kind":"decode","start":13,"len":14,"reads":1,"writes":1,"marks":[],"count":5,"same":true}]}
{"e":"process","b":8,"rows":[{"r":"A","skipped":false,"done":true,"lookahead":1}]}
{"e":"session","op":"end","s":"S","r":"A","working":1,"ring":[4,3],"next":0,"last":1,"last_len":null,"covers":14}
{"e":"end","r":"A","why":"finish"}
{"e":"process","b":9,"rows":[{"r":"A","skipped":true,"done":false}]}
{"e":"session","op":"borrow","s":"S","r":"A2"}
{"e":"admit","r":"A2","s":"S","hit":null}
{"e":"launch","b":10,"rows":[{"r":"A2","kind":"prefill","start":14,"len":20,"reads":1,"writes":1,"marks":[{"len":16,"slot":4,"pos":0}],"last_chunk":true,"next":1,"last":1,"ring":[4,3]}]}
""",
    (Edit("the turn resumes a token too early", '"start":14,"len":20', '"start":13,"len":20'),),
)

EXAMPLES: Final = (LAZY, DONATED, VERIFY, MOVING, TURNS)
