"""The one layout of two lanes: columns, broken lines, and both lanes in one row."""

from checker.explain.lanes import CPU, DEVICE, LaneEntry, Lanes, broken, timeline

NARROW = Lanes(6, 16, 26)
WITH_BORDER = Lanes(4, 16, border=" | ")


def test_each_lane_begins_at_its_column():
    assert NARROW.head() == "step  CPU       device"
    assert NARROW.rows("   1", cpu="admit") == ["   1  admit"]
    assert NARROW.rows("   2", device="copies") == ["   2            copies"]


def test_words_of_the_cpu_reach_below_the_other_lane_where_that_has_nothing():
    assert NARROW.rows("   1", cpu="admit a request") == ["   1  admit a request"]
    assert NARROW.rows("   1", cpu="admit a request", device="idle") == [
        "   1  admit a   idle",
        "        request",
    ]


def test_a_line_that_is_too_long_is_broken_inside_its_lane():
    assert NARROW.rows("   2", device="writes two states") == [
        "   2            writes two",
        "                  states",
    ]


def test_a_layout_without_an_end_breaks_nothing_and_keeps_its_border():
    assert WITH_BORDER.rows("1", "a text that is too long", "it ran") == ["1   a text that is too long | it ran"]
    assert WITH_BORDER.rows("1", "short") == ["1   short     |"]


def test_a_step_without_words_has_a_line():
    assert NARROW.rows("   3") == ["   3"]


def test_values_stay_with_their_names_where_they_are_tied():
    assert broken("the label = 4", 12) == ["the label =", "  4"]
    assert broken("the label = 4", 12, tied=True) == ["the", "  label = 4"]
    assert broken("the label = 4", 12, "say ") == ["say the", "      label", "      = 4"]


def test_slots_are_shown_where_they_change():
    entries = [
        LaneEntry(1, CPU, "admit", ("s0: -", "s1: -")),
        LaneEntry(2, DEVICE, "runs", ("s0: -", "s1: A@2")),
        LaneEntry(3, CPU, "abort", ("s0: -", "s1: A@2")),
    ]
    header, *rows = timeline(entries, 80)
    assert header.endswith("slots, where they change")
    assert [row.split() for row in rows] == [
        ["1", "admit", "s0:", "-"],
        ["s1:", "-"],
        ["2", "runs", "s1:", "A@2"],
        ["3", "abort"],
    ]
    assert rows[0].index("s0") == rows[2].index("s1") == header.index("slots")
    assert timeline(entries[:0], 80)[0].split() == ["step", CPU, DEVICE]
