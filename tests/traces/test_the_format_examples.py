"""The five examples of the page of format 2, each good as it stands and bad with the edit that the page names."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from tests.support.slot_simulator import oracle
from tests.support.trace_fields import misspelt

HEADER = {"trace": 2, "engine": "page", "mode": "eager", "slots": 32, "first_slot": 1, "lookahead": 1, "reserved": [0]}
KNOWS = ["takes", "frees", "evicts", "ends", "copies"]
HEADERS = {
    "lazy": HEADER | {"mode": "lazy", "without_spare": "skip", "ring": 2, "interval": 16, "knows": KNOWS},
    "chunks": HEADER | {"ring": 2, "interval": 8, "prefill_grid": 8, "grid_from": "prefix", "page": 4, "knows": KNOWS},
    "verify": HEADER | {"ring": 2, "interval": 8, "window": 4, "crossing": "planned", "knows": KNOWS},
    "blocks": HEADER | {"mode": "none", "interval": 4, "lookahead": 2},
    "session": HEADER | {"ring": 2, "interval": 8, "knows": [*KNOWS, "sessions"]},
}
EXAMPLES = {
    "lazy": """
{"e":"launch","b":6,"rows":[{"r":"A","kind":"decode","start":14,"len":15,"reads":1,"writes":1,"marks":[],"count":6,"next":0,"last":0,"ring":[3,null]}]}
{"e":"process","b":5,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":1,"same":true}]}
{"e":"take","r":"A","slots":[4]}
{"e":"launch","b":7,"rows":[{"r":"A","kind":"decode","start":15,"len":16,"reads":1,"writes":1,"marks":[{"len":16,"slot":4,"pos":1}],"count":7,"next":1,"last":0,"ring":[3,4]}]}
{"e":"process","b":6,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":1,"same":true}]}
{"e":"launch","b":8,"rows":[{"r":"A","kind":"decode","start":16,"len":17,"reads":1,"writes":1,"marks":[],"count":8,"same":true}]}
{"e":"process","b":7,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":1,"next":1,"last":1,"last_len":16,"ring":[null,4]}]}
{"e":"free","slots":[3],"during":7}
""",
    "chunks": """
{"e":"admit","r":"B","working":7,"ring":[8,9],"next":0,"last":1,"hit":null}
{"e":"launch","b":20,"rows":[{"r":"B","kind":"prefill","start":0,"len":16,"reads":null,"writes":7,"marks":[{"len":16,"slot":8,"pos":0}],"last_chunk":false,"next":1,"last":0,"ring":[8,9]}]}
{"e":"process","b":19,"rows":[{"r":"A","skipped":false,"done":false,"lookahead":0,"same":true}]}
{"e":"take","r":"B","slots":[10],"during":null}
{"e":"publish","r":"B","slot":8,"len":16,"stored":true,"replaced_by":10,"during":null}
{"e":"launch","b":21,"rows":[{"r":"B","kind":"prefill","start":16,"len":29,"reads":7,"writes":7,"marks":[{"len":24,"slot":9,"pos":1}],"last_chunk":false,"next":0,"last":1,"ring":[10,9]},{"r":"A","kind":"decode","start":15,"len":16,"reads":1,"writes":1,"marks":[],"count":7,"same":true}]}
{"e":"process","b":20,"rows":[{"r":"B","skipped":false,"done":false,"same":true}]}
{"e":"take","r":"B","slots":[11],"during":null}
{"e":"publish","r":"B","slot":9,"len":24,"stored":true,"replaced_by":11,"during":null}
{"e":"launch","b":22,"rows":[{"r":"B","kind":"prefill","start":29,"len":42,"reads":7,"writes":7,"marks":[{"len":37,"slot":10,"pos":0}],"last_chunk":false,"next":1,"last":0,"ring":[10,11]}]}
{"e":"take","r":"B","slots":[12],"during":null}
{"e":"publish","r":"B","slot":10,"len":36,"stored":true,"replaced_by":12,"during":null}
""",
    "verify": """
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
    "blocks": """
{"e":"launch","b":0,"rows":[{"r":"A","kind":"prefill","start":0,"len":8,"reads":null,"writes":6,"marks":[],"last_chunk":false}]}
{"e":"publish","r":"A","slot":6,"len":8,"stored":true,"shared":true,"during":null}
{"e":"launch","b":1,"rows":[{"r":"A","kind":"prefill","start":8,"len":10,"reads":6,"writes":7,"marks":[],"last_chunk":true}]}
{"e":"process","b":0,"rows":[{"r":"A","skipped":false,"done":false}]}
{"e":"launch","b":2,"rows":[{"r":"A","kind":"decode","start":10,"len":11,"reads":7,"writes":7,"marks":[]}]}
{"e":"process","b":1,"rows":[{"r":"A","skipped":false,"done":false}]}
{"e":"launch","b":3,"rows":[{"r":"A","kind":"decode","start":11,"len":12,"reads":7,"writes":7,"marks":[]}]}
{"e":"publish","r":"A","slot":7,"len":12,"stored":true,"shared":true,"during":null}
{"e":"admit","r":"C","hit":{"slot":7,"len":12}}
{"e":"launch","b":4,"rows":[{"r":"A","kind":"decode","start":12,"len":13,"reads":7,"writes":8,"marks":[]},{"r":"C","kind":"prefill","start":12,"len":15,"reads":7,"writes":9,"marks":[],"last_chunk":true}]}
""",
    "session": """
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
}  # fmt: skip


def example(name):
    lines = [json.loads(line) for line in EXAMPLES[name].strip().splitlines()]
    return [dict(HEADERS[name]), *lines, {"e": "stop", "why": "closed"}]


def edited(name, at, **fields):
    """The example with these fields in the first row of its line `at` (the header is 0), or in the line itself."""
    lines = deepcopy(example(name))
    lines[at].get("rows", [lines[at]])[0].update(fields)
    return lines


def ones_own_read(lines):
    """C's row stands in batch 3 as well: its admission comes before that batch, its hit is of what the batch writes."""
    launch = next(line for line in lines if line.get("b") == 4)
    lines[7]["rows"].append(launch["rows"].pop())
    return lines


GOOD = {name: example(name) for name in EXAMPLES}
GOOD["chunks"] = [*example("chunks")[:-2], {"e": "stop", "why": "closed"}]
BAD = {
    "lazy: the mark goes to slot 3": edited("lazy", 4, marks=[{"len": 16, "slot": 3, "pos": 1}]),
    "chunks: 37 tokens under a key of 36": example("chunks"),
    "verify: 2 accepted, the same label": edited("verify", 5, accepted=2),
    "verify: the boundary is reachable": edited("verify", 0, interval=4),
    "blocks: read in the batch that writes it": ones_own_read(example("blocks")),
    "session: A2 starts at 13": edited("session", 9, start=13),
}


@pytest.mark.parametrize("name", GOOD)
def test_an_example_is_good_as_it_stands(name):
    found = oracle(GOOD[name])
    assert found.outcome == "good", found


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_fields_are_those_of_the_page(name):
    assert not misspelt(example(name))


@pytest.mark.parametrize("name", BAD)
def test_an_example_is_bad_with_its_edit(name):
    assert oracle(BAD[name]).outcome == "bad"


def test_a_file_without_its_last_line_is_cut():
    assert oracle(example("blocks")[:-1]).outcome == "cut"


def test_a_recorder_that_cannot_follow_makes_it_not_covered():
    assert oracle([*example("blocks")[:-1], {"e": "stop", "why": "not covered"}]).outcome == "not covered"
