"""Each kind of wrong reading that was once possible, brought back by undoing what refuses it or reads it right.

The random programs must tell every one of them (tests/attacks/test_undone.py): otherwise they would not have found it.
"""

from __future__ import annotations

import checker.model.layout
import checker.search.check
import checker.symbolic.calls
import checker.symbolic.equality
import checker.symbolic.frame
import checker.symbolic.operators
import checker.symbolic.subset
import checker.symbolic.walk
from checker.model.layout import _Builder
from checker.symbolic.frame import Frame
from checker.symbolic.path import Path
from checker.symbolic.store import Store
from tests.support.planting import Fault, Plant

_REFUSES_A_KIND = 'raise Refused(f"a comparison with a {type(value).__name__}", "compare numbers, records or tuples")'

UNDONE = {
    "A": Fault(
        "two-kinds-are-an-object",
        "a value of two kinds on two paths is some object, which is true",
        (Plant(checker.symbolic.walk.Walk, "merge_values", "return UNDEFINED", "return object()"),),
    ),
    "B": Fault(
        "no-closures",
        "names are looked up in locals and then in the module's globals only",
        (Plant(Frame, "look_up", "if name in self._cells:", "if False:"),),
    ),
    "C": Fault(
        "first-line-alone",
        "a function is known by its file and its first line",
        (
            Plant(
                checker.symbolic.walk,
                "text_of",
                "text, known = trees[place], codes[place]",
                "text, known = next(tree for (line, _), tree in trees.items() if line == place[0]), [code]",
            ),
        ),
    ),
    "D": Fault(
        "aliases-unseen",
        "a reference to a record that has been replaced is read where the record stood",
        (Plant(Store, "check", "!= part.version", "!= part.version and False"),),
    ),
    "E": Fault(
        "reversed-at-once",
        "reversed() reads all elements before the first is looked at",
        (
            Plant(
                Path,
                "iterate",
                "yield from (self.store.look(self.store.element(of, index)) for index in reversed(_indices(of)))",
                "yield from [self.store.look(self.store.element(of, index)) for index in reversed(_indices(of))]",
            ),
        ),
    ),
    "F": Fault(
        "kind-of-the-first-value",
        "a leaf is what its first value is, whatever its annotation says",
        (
            Plant(_Builder, "_leaf", "if type(value) is not kind:", "kind = type(value)\n    if False:"),
            Plant(_Builder, "_leaf", "if marks.sort or (kind is bool and marks.ends is not None):", "if False:"),
        ),
    ),
    "G": Fault(
        "records-of-any-kind",
        "a record may have an equality of its own, and it is not asked",
        (
            Plant(checker.model.layout, "check_record", "if why:", "if False:"),
            Plant(checker.symbolic.calls, "check_record", "if why:", "if False:"),
        ),
    ),
    "H": Fault(
        "nothing-asked-holds",
        "a search in which no property is asked holds",
        (Plant(checker.search.check.Outcome, "is_vacuous", " or not found.asked", ""),),
    ),
    "I": Fault(
        "fractions-admitted",
        "numbers that are not whole are taken for what they are not",
        (
            Plant(checker.symbolic.subset, "admitted", "numbers.Number, ", ""),
            Plant(checker.symbolic.frame, "admitted", "numbers.Number, ", ""),
            Plant(checker.symbolic.equality, "equal", _REFUSES_A_KIND, "return False"),
            Plant(checker.symbolic.operators, "equal", _REFUSES_A_KIND, "return False"),
        ),
    ),
}
