"""Fields that were added and forgotten are noticed: in the spec, in the runtime, in a trace, and in a user's model."""

from __future__ import annotations

import inspect

import pytest

import spec.model
from checker.command import cli
from checker.command.report import fields as report
from checker.lockstep import fields
from checker.lockstep.correspondence import RUNTIME_ONLY, TIES, Tie
from checker.lockstep.ties import ties
from checker.model.model import Model
from checker.symbolic.transitions import Reader
from checker.symbolic.unread import unchanged, unread
from checker.traces.recorder import Recorder
from runtime.batch import ROW_COLUMNS, Rows
from spec.language import ABSENT, BadRecord, Vector, new, record
from spec.scope import EAGER, LAZY, Scope
from spec.state import IDLE, Batch, Event, Request, Row, Step, Text, initial


def said() -> list[str]:
    return list(ties())


def test_nothing_is_forgotten():
    assert fields.forgotten() == []
    assert report.exit_code([]) == 0


@pytest.mark.parametrize("name", ["Request.last_len", "Row.mark", "State.free", "Step.asked"])
def test_a_field_without_a_line_in_the_table_is_noticed(name, monkeypatch):
    monkeypatch.delitem(TIES, name)
    found = next(line for line in said() if f"what {name} is" in line)
    assert found.startswith(f"{inspect.getsourcefile(Request)}:")
    assert f"add to {inspect.getsourcefile(Tie)}:" in found
    assert f'"{name}": Tie(' in found
    assert report.exit_code([found]) == 1


@pytest.mark.parametrize(
    ("name", "tie", "sentence"),
    [
        ("Request.gone", Tie("table.next", "Admit.next"), "no record of spec/state.py has a field Request.gone"),
        ("Request.next", Tie("table.gone", "Admit.next"), "RequestTable has no column gone"),
        ("Row.mark", Tie("rows.gone", "PrefillRow.mark"), "Rows has no column gone"),
        ("State.free", Tie("pool.gone", "Free.slots"), "an engine has no pool.gone"),
        ("State.free", Tie("ghost: ", "Free.slots"), "an engine has no ghost"),
        ("State.free", Tie("ghost", "Free.slots"), "an engine has no ghost"),
        ("Row.mark", Tie("rows.mark", "PrefillRow.gone"), "PrefillRow has no key gone"),
        ("Row.mark", Tie("rows.mark", "Gone.mark"), "Gone has no key mark"),
        ("Row.mark", Tie("rows.mark", "none:"), "none: has no key"),
        ("Request.last_len", Tie("table.last_len", "none: so"), "no field of the spec stands for ResultRow.last_len"),
        ("Request.last_len", Tie("ghost: so", "ResultRow.last_len"), "stands for RequestTable.last_len"),
    ],
)
def test_a_line_of_the_table_that_is_not_so_is_noticed(name, tie, sentence, monkeypatch):
    monkeypatch.setitem(TIES, name, tie)
    assert any(sentence in line for line in said())


def test_a_column_that_no_field_stands_for_is_noticed(monkeypatch):
    monkeypatch.delitem(RUNTIME_ONLY, "rows.epoch")
    [found] = said()
    assert found.startswith(f"{inspect.getsourcefile(Rows)}:")
    assert '"rows.epoch": "because ...",' in found


def test_a_key_that_the_recorder_never_writes_is_noticed(monkeypatch):
    written = Recorder._result
    monkeypatch.setattr(
        Recorder, "_result", lambda self, name, seat, alive, done, ahead=None: written(self, name, seat, alive, done)
    )
    [found] = said()
    assert "a recorded run never has ResultRow.lookahead" in found


def test_a_run_that_stops_is_a_finding_and_no_error(monkeypatch):
    monkeypatch.setitem(ROW_COLUMNS, "gone", Rows.mark)
    assert any("a recorded run stops with" in line for line in said())


def test_a_field_that_nothing_reads_and_one_that_nothing_changes_are_noticed(monkeypatch):
    # Without properties the ghosts go unread, and an admission alone changes no label.
    monkeypatch.setattr(spec.model, "properties", ())
    monkeypatch.setattr(spec.model, "actions", spec.model.actions[:1])
    found = fields.forgotten()
    assert any("nothing reads Request.owed:" in line for line in found)
    assert any("no action changes Request.last_len;" in line for line in found)
    assert not any("no action changes Request.phase;" in line for line in found)


MODEL = """
from dataclasses import dataclass
from typing import Annotated

from spec.language import Range, Vector, action, always, record


@record
class Cell:
    on: bool
    n: int


@record
class State:
    x: int
    log: Vector[Annotated[int, Range(0, 9)]]
    cells: Vector[Cell]


@dataclass(frozen=True)
class Scope:
    high: int = 3


def init(scope):
    return State(0, Vector([0, 0]), Vector([Cell(False, 0)]))


@action()
def up(s, scope):
    if s.x < scope.high:
        s.x += 1
        s.cells[0].n = s.x
        s.log[0] += 1
        s.cells[0] = Cell(s.x == 2, s.x)


@always()
def low(s, scope):
    return s.x < 4 CLAIM


actions = (up,)
properties = (low,)
"""


@pytest.mark.parametrize(
    ("claim", "unread"),
    [
        ("", {"State.log", "State.cells", "Cell.on", "Cell.n"}),
        ("and s.cells[0] != Cell(True, 9)", {"State.log", "State.cells", "Cell.on", "Cell.n"}),
        ("and s.cells[0].n < 4", {"State.log", "Cell.on"}),
        ("and sum(s.log) < 9", {"State.cells", "Cell.on", "Cell.n"}),
        ("and s.log[0] < 9 and all(cell.n < 4 or cell.on for cell in s.cells)", set()),
    ],
)
def test_a_users_model_hears_of_fields_that_nothing_reads(claim, unread, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.py"
    path.write_text(MODEL.replace("CLAIM", claim))
    assert cli.run(["explore", "--model", str(path)]) == 0
    found = [line for line in capsys.readouterr().out.splitlines() if "nothing reads" in line]
    assert {line.split("nothing reads ")[1].split(" ")[0] for line in found} == unread
    assert all(line.startswith(f"{path}:") for line in found)


# How records start.


@pytest.mark.parametrize("mode", [EAGER, LAZY])
def test_records_start_as_their_fields_say(mode):
    scope = Scope(requests=2, slots=5, ring=3, mode=mode)
    me = new(Request, scope)
    assert (me.phase, me.working, list(me.ring), list(me.recent)) == (IDLE, ABSENT, [ABSENT] * 3, [])
    assert me.last == (2 if mode == EAGER else 0)
    batch = new(Batch, scope)
    assert batch.rows == [Row(), Row()]
    assert batch.rows[0] is not batch.rows[1]
    assert new(Step, scope).events == [Event(), Event()]
    state = initial(scope)
    assert (state.free, state.holds) == (Vector([True] * 5), Vector([Text()] * 5))
    assert len({id(text) for text in [*state.holds, *state.cached]}) == 10


def test_a_record_that_needs_a_scope_is_not_made_without_one():
    with pytest.raises(TypeError, match=r"write new\(TheRecord, scope\)"):
        Request()


def test_a_field_that_does_not_say_how_it_starts_is_named_with_its_place():
    @record
    class Half:
        first: int
        second: int = 0

    with pytest.raises(BadRecord, match=r"test_fields.py:\d+: Half.first does not say .*: first: int = 0"):
        new(Half, Scope())
    with pytest.raises(BadRecord, match=r"Late.second does not say how it starts"):

        @record
        class Late:
            first: int = 0
            second: bool


def test_what_is_read_and_changed_is_told_of_each_walk():
    model = Model(spec.model, Scope.parse("requests=1 slots=3 nodes=1"))
    reader = Reader(model)
    everything = {field.spelled for field in unread(model.shape, set())}
    assert {"Request.last_len", "State.free", "Text.family"} <= everything
    assert {field.spelled for field in unchanged(reader, [])} == everything
    [admit] = [instance for instance in model.instances() if instance.action.name == "admit"][:1]
    changed = everything - {field.spelled for field in unchanged(reader, [reader.transition(admit, witnesses=False)])}
    assert {"Request.phase", "Request.ring", "State.free"} <= changed
    assert not changed & {"Request.last_len", "Row.mark", "State.batches"}
    assert "Request.phase" not in {field.spelled for field in unread(model.shape, reader.looked)}
