"""With any one kind of wrong reading brought back, random programs show the difference within a minute."""

import pytest

from tests.attacks.programs import EDGES
from tests.attacks.test_random_programs import Differs, hunt
from tests.support.undone import UNDONE


def test_every_kind_of_edge_has_its_undoing():
    assert "".join(UNDONE) == EDGES


@pytest.mark.parametrize("kind", UNDONE)
def test_an_undone_reading_is_found(kind):
    with UNDONE[kind].planted(), pytest.raises(Differs):
        hunt(0, 60, kind, risk=1)
