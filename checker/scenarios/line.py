"""The words of a scenario script, each with its column, and the errors that point at one."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

from checker.exit_codes import BadInput
from checker.scenarios.spelling import either, nearest
from spec.language import ABSENT
from spec.scope import Scope
from spec.state import Text

FAMILIES = string.ascii_uppercase
"""Texts have letters in a script: family 0 is A."""


class BadScenario(BadInput):
    """A script that cannot be played; it says where, and what to write instead.

    `so_far` is the timeline up to there, where the script could be read but a step of it may not happen.
    """

    def __init__(self, path: str, line: int, column: int, message: str, so_far: str = "") -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.path = path
        self.line = line
        self.column = column
        self.message = message
        self.so_far = so_far


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line; columns are counted from 1."""

    text: str
    column: int


class Line:
    """One line of a script, read word by word from the left."""

    def __init__(self, path: str, number: int, text: str) -> None:
        self.path = path
        self.number = number
        code, _, comment = _split_comment(text)
        self.text = code.strip()
        self.comment = comment
        self.words = [Word(found[0], found.start() + 1) for found in re.finditer(r"\S+", code)]
        self._end = len(code.rstrip()) + 2
        self._at = 0

    @property
    def column(self) -> int:
        """The column of the word that comes next."""
        return self.words[self._at].column if self._at < len(self.words) else self._end

    def error(self, message: str, column: int | None = None) -> BadScenario:
        """Return the error that points at the next word, or at `column`."""
        return BadScenario(self.path, self.number, self.column if column is None else column, message)

    def peek(self) -> str:
        """Return the next word without taking it; an empty string at the end of the line."""
        return self.words[self._at].text if self._at < len(self.words) else ""

    def take(self, what: str) -> str:
        """Take the next word; `what` says what to write where there is none."""
        if not self.peek():
            raise self.error(f"the line ends too early; write {what}")
        self._at += 1
        return self.words[self._at - 1].text

    def rest(self) -> str:
        """Take all words that are left, as one text."""
        column = self.column
        self._at = len(self.words)
        return self.text[column - self.words[0].column :] if self.words else ""

    def done(self) -> bool:
        """Whether all words have been taken."""
        return self._at == len(self.words)

    def close(self) -> None:
        """Refuse whatever is left on the line."""
        if not self.done():
            raise self.error(f"{self.peek()!r} is one word too many; the line ends before it")

    def keyword(self, *choices: str) -> str:
        """Take the next word, which must be one of `choices`."""
        column = self.column
        word = self.take(either(choices))
        if word not in choices:
            raise self.error(f"{word!r} is unknown here; write {nearest(word, choices)}", column)
        return word

    def number_in(self, what: str, low: int, high: int) -> int:
        """Take a whole number from `low` to `high`."""
        column = self.column
        word = self.take(f"{what}: a number from {low} to {high}")
        if not word.isdecimal():
            raise self.error(f"{word!r} is not {what}; write a number from {low} to {high}", column)
        if not low <= int(word) <= high:
            raise self.error(f"{what} {word} is outside {low}..{high}; write one in that range", column)
        return int(word)

    def number_or(self, word: str, what: str, low: int, high: int) -> int:
        """Take a number, or the word that stands for ABSENT."""
        if self.peek() == word:
            self.take("")
            return ABSENT
        if self.peek() and not self.peek().isdecimal():
            raise self.error(f"{self.peek()!r} is not {what}; write a number from {low} to {high}, or {word}")
        return self.number_in(what, low, high)

    def slot(self, scope: Scope) -> int:
        """Take `slot N`."""
        self.keyword("slot")
        column = self.column
        number = self.take(f"a slot of the pool: 0 to {scope.last_slot}")
        if not number.isdecimal() or int(number) > scope.last_slot:
            raise self.error(
                f"slot {number} is outside the pool; write a slot from 0 to {scope.last_slot}, "
                "or a larger slots= on the scope line",
                column,
            )
        return int(number)

    def request(self, scope: Scope) -> int:
        """Take the name of a request: r1 is the first."""
        column = self.column
        known = "r1" if scope.requests == 1 else f"r1 to r{scope.requests}"
        word = self.take(f"the name of a request: {known}")
        found = re.fullmatch(r"r([1-9]\d*)", word)
        if not found or int(found[1]) > scope.requests:
            raise self.error(
                f"{word!r} is no request of this scope; write {known}, or a larger requests= on the scope line", column
            )
        return int(found[1]) - 1

    def requests(self, scope: Scope) -> list[int]:
        """Take as many names of requests as follow, each at most once."""
        found: list[int] = []
        while re.fullmatch(r"r\d+", self.peek()):
            column, name = self.column, self.peek()
            request = self.request(scope)
            if request in found:
                raise self.error(f"{name} is named twice; write it once", column)
            found.append(request)
        return found

    def some_requests(self, scope: Scope) -> list[int]:
        """Take at least one name."""
        return self.requests(scope) or [self.request(scope)]

    def family(self, scope: Scope) -> int:
        """Take the letter of a text."""
        column = self.column
        letters = FAMILIES[: scope.families]
        word = self.take(f"a text: {either(letters)}")
        if word not in tuple(letters):
            raise self.error(
                f"{word!r} is no text of this scope; write {either(letters)}, or a larger families= on the scope line",
                column,
            )
        return FAMILIES.index(word)

    def length(self, scope: Scope, what: str) -> int:
        """Take a number of tokens."""
        return self.number_in(what, 1, scope.max_len)

    def state(self, scope: Scope) -> Text:
        """Take what a slot holds or is cached as: `A@2`, or `nothing`."""
        column = self.column
        word = self.take("a state such as A@2 (text A, 2 tokens), or nothing")
        if word == "nothing":
            return Text()
        letter, at, length = word.partition("@")
        if not at or letter not in tuple(FAMILIES[: scope.families]) or not length.isdecimal():
            raise self.error(
                f"{word!r} is no state; write for example A@2 (text A, 2 tokens), or nothing; "
                f"texts here are {', '.join(FAMILIES[: scope.families])}",
                column,
            )
        if not 1 <= int(length) <= scope.max_len:
            raise self.error(f"no state of this scope covers {length} tokens; write 1 to {scope.max_len}", column)
        return Text(FAMILIES.index(letter), int(length))


def _split_comment(text: str) -> tuple[str, str, str | None]:
    found = re.search(r"(?:^|\s)#\s?(.*)$", text.rstrip())
    return (text, "", None) if not found else (text[: found.start()], "#", found[1])
