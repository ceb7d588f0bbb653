"""Following a file that grows: whole lines only, no haste, and no word on a file that did anything but grow."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from checker.traces.follow import GrowingFile, follow, until_stop
from checker.traces.format import Event
from checker.traces.reading import BadTrace
from tests.support.trace_examples import LAZY

LINES = LAZY.lines.splitlines(keepends=True)
PAUSE = 0.01


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "growing.ndjson"


@pytest.fixture
def ended() -> Iterator[threading.Event]:
    found = threading.Event()
    # Whatever is wrong, no test waits for ever.
    watchdog = threading.Timer(10, found.set)
    watchdog.start()
    yield found
    watchdog.cancel()
    found.set()


def write(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def later(*acts: Callable[[], object]) -> threading.Thread:
    """Do one thing after the other, each some looks at the file later, while the test waits for what comes of it."""

    def work() -> None:
        for act in acts:
            time.sleep(PAUSE * 6)
            act()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def followed(path: Path, ended: threading.Event) -> list[tuple[int, Event]]:
    return list(until_stop(follow(path, ended, PAUSE)))


def test_a_file_that_does_not_exist_yet_is_waited_for_and_read_to_its_stop_line(
    path: Path, ended: threading.Event
) -> None:
    # A line that is written in pieces is one line, and what follows the `stop` line is nobody's concern.
    pieces = [LINES[0], LINES[1][:20], LINES[1][20:] + LINES[2][:-1], "\n", "".join(LINES[3:]), "no line at all\n"]
    thread = later(*(lambda piece=piece: write(path, piece) for piece in pieces))
    assert [line for line, _ in followed(path, ended)] == list(range(2, len(LINES) + 1))
    thread.join()


def test_a_line_is_handed_on_as_soon_as_it_is_complete(path: Path, ended: threading.Event) -> None:
    write(path, "".join(LINES[:3]) + LINES[3][:10])
    events = iter(follow(path, ended, PAUSE))
    assert [next(events)[0], next(events)[0]] == [2, 3]
    thread = later(lambda: write(path, LINES[3][10:]))
    assert next(events)[0] == 4
    thread.join()


def test_the_end_comes_when_it_is_asked_for_with_all_that_was_written(path: Path, ended: threading.Event) -> None:
    write(path, "".join(LINES[:5]) + LINES[5][:30])
    thread = later(ended.set)
    reader = follow(path, ended, PAUSE)
    assert [line for line, _ in until_stop(reader)] == [2, 3, 4, 5]
    assert reader.cut
    thread.join()


def test_nothing_that_is_written_after_the_end_was_asked_for_is_read(path: Path, ended: threading.Event) -> None:
    write(path, "a\nb\n")
    file = GrowingFile(path, ended, PAUSE)
    assert file.readline(100) == b"a\n"
    ended.set()
    assert file.readline(100) == b"b\n"
    write(path, "c\n")
    assert file.readline(100) == b""


def test_a_line_is_never_longer_than_the_limit(path: Path, ended: threading.Event) -> None:
    write(path, "abcdefgh\n")
    file = GrowingFile(path, ended, PAUSE)
    assert [file.readline(5), file.readline(5)] == [b"abcde", b"fgh\n"]


def test_a_line_that_comes_in_pieces_is_never_longer_than_the_limit(path: Path, ended: threading.Event) -> None:
    write(path, "abc")
    file = GrowingFile(path, ended, PAUSE)
    thread = later(lambda: write(path, "defgh\n"))
    assert [file.readline(5), file.readline(5)] == [b"abcde", b"fgh\n"]
    thread.join()


def cut_short(path: Path) -> None:
    os.truncate(path, 40)


def written_anew(path: Path) -> None:
    path.write_text("x" * 10_000 + "\n", encoding="utf-8")


def replaced(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_text("".join(LINES), encoding="utf-8")
    other.replace(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (cut_short, "cut short or written anew"),
        (written_anew, "cut short or written anew"),
        (replaced, "another file took this one's place"),
        (Path.unlink, "moved or removed"),
    ],
)
def test_a_file_that_does_not_only_grow_is_an_error(
    change: Callable[[Path], None], said: str, path: Path, ended: threading.Event
) -> None:
    write(path, "".join(LINES[:4]))
    thread = later(lambda: change(path))
    with pytest.raises(BadTrace, match=f"growing.ndjson:5: .*{said}"):
        followed(path, ended)
    thread.join()


def test_what_was_written_before_a_file_was_moved_is_read(path: Path, ended: threading.Event) -> None:
    write(path, "".join(LINES[:4]))
    events = until_stop(follow(path, ended, PAUSE))
    assert next(events)[0] == 2
    write(path, "".join(LINES[4:]))
    path.rename(path.with_suffix(".old"))
    assert [line for line, _ in events][-1] == len(LINES)


def test_what_cannot_be_followed_is_one_sentence(tmp_path: Path, path: Path, ended: threading.Event) -> None:
    with pytest.raises(BadTrace, match="no regular file"):
        follow(tmp_path, ended)
    os.mkfifo(path)
    with pytest.raises(BadTrace, match="no regular file"):
        follow(path, ended)
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(BadTrace, match="cannot be read: No such file"):
        follow(tmp_path / "dangling", ended)
    ended.set()
    with pytest.raises(BadTrace, match="there was no such file until the end"):
        follow(tmp_path / "never", ended)


def test_waiting_costs_next_to_nothing(path: Path, ended: threading.Event) -> None:
    write(path, LINES[0])
    thread = threading.Timer(1.0, ended.set)
    thread.start()
    before = time.process_time()
    assert followed(path, ended) == []
    assert time.process_time() - before < 0.2
    thread.join()
