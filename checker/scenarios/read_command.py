"""A line of a script read as a command: the verb, what it needs, and the clauses that it may have."""

from __future__ import annotations

from checker.scenarios.commands import COMMANDS, Command
from checker.scenarios.line import Line
from spec.language import ABSENT
from spec.scope import ANY, LAZY, ON, Scope
from spec.state import EXHAUSTED


def read_command(line: Line, scope: Scope) -> Command:
    """Read a command, with `refused:` before it where it is meant not to happen."""
    refused = line.peek() == "refused:"
    if refused:
        line.take("")
    column = line.column
    verb = line.keyword(*COMMANDS)
    action, named = _Clauses(line, scope, verb).read()
    line.close()
    return Command(line.path, line.number, column, line.text, refused, action, named)


class _Clauses:
    """What follows the verb."""

    def __init__(self, line: Line, scope: Scope, verb: str) -> None:
        self.line = line
        self.scope = scope
        self.verb = verb
        self.everyone = range(scope.requests)
        self.supply = ABSENT
        self.order = tuple(self.everyone)
        self.boundaries: list[int] = []
        self.finishes: list[int] = []
        self.mark = ABSENT
        self.family = 0

    def read(self) -> tuple[str, dict[str, object]]:
        """Return the action and its arguments."""
        line, scope = self.line, self.scope
        named: dict[str, object] = {}
        match self.verb:
            case "admit":
                request = line.request(scope)
                line.keyword("prompt")
                prompt = line.length(scope, "prompt")
                self.clauses("text", "taking")
                named = {"request": request, "family": self.family, "prompt": prompt, "supply": self.supply}
            case "prefill":
                request = line.request(scope)
                self.clauses("mark")
                named = {"request": request, "choice": self.mark}
            case "prepare":
                return "prepare", self._prepare()
            case "process" | "finish":
                self.finishes = line.some_requests(scope) if self.verb == "finish" else []
                self.clauses("order", "no", "taking", *(["finish"] if self.verb == "process" else []))
                named = {"finishes": self._tuple(self.finishes), "order": self.order, "supply": self.supply}
                return "process", named
            case "cut":
                return "cut", self._cut()
            case "abort":
                named = {"request": line.request(scope)}
            case "evict":
                named = {"key": line.state(scope)} if "@" in line.peek() else {"slot": line.slot(scope)}
            case "move":
                named = {"request": line.request(scope), "seat": self._seat()}
            case "regroup":
                named = {"first": self._tuple(line.some_requests(scope))}
        return self.verb, named

    def _cut(self) -> dict[str, object]:
        line = self.line
        if self.scope.short_keys != ON:
            raise line.error("an output is cut only with short_keys=on; write that on the scope line")
        request = line.request(self.scope)
        line.keyword("to")
        kept = line.length(self.scope, "key")
        self.clauses("order", "no", "taking", "finish")
        keys = tuple(kept if other == request else ABSENT for other in self.everyone)
        finishes = self._tuple([request, *self.finishes])
        return {"finishes": finishes, "order": self.order, "supply": self.supply, "keys": keys}

    def _seat(self) -> int:
        self.line.keyword("seat")
        return self.line.number_in("a seat", 1, self.scope.requests) - 1

    def _prepare(self) -> dict[str, object]:
        rows = self.line.requests(self.scope)
        self.clauses("boundary", "no", "taking")
        if self.scope.mode == LAZY:
            # The order in which a script names them is the order in which they compete for spares.
            self.order = tuple(rows + [request for request in self.everyone if request not in rows])
        boundaries = self._tuple(self.boundaries)
        return {"rows": self._tuple(rows), "order": self.order, "boundaries": boundaries, "supply": self.supply}

    def _tuple(self, members: list[int]) -> tuple[bool, ...]:
        return tuple(request in members for request in self.everyone)

    def clauses(self, *allowed: str) -> None:
        """Read the optional clauses of the command, in any order."""
        line, scope = self.line, self.scope
        given: set[str] = set()
        while not line.done():
            column = line.column
            if line.peek() not in allowed:
                raise line.error(f"{line.peek()!r} is unknown here; the command reads: {COMMANDS[self.verb]}")
            word = line.take("")
            if word in given or {word, *given} >= {"no", "taking"}:
                raise line.error(f"{word!r} says twice what the allocator has or who takes part; write it once", column)
            given.add(word)
            match word:
                case "text":
                    self.family = line.family(scope)
                case "mark":
                    self._free_boundaries(column, "mark")
                    self.mark = line.length(scope, "mark")
                case "boundary":
                    self._free_boundaries(column, "boundary")
                    self.boundaries = line.some_requests(scope)
                case "finish":
                    self.finishes = line.some_requests(scope)
                case "order":
                    self._read_order()
                case "no":
                    line.keyword("spare", "replacement")
                    self._asks(column)
                    self.supply = EXHAUSTED
                case "taking":
                    self._asks(column)
                    self.supply = line.slot(scope)

    def _free_boundaries(self, column: int, word: str) -> None:
        if self.scope.interval != ANY:
            raise self.line.error(
                f"{word!r} chooses a boundary, but interval={self.scope.interval} decides that; "
                "leave it out, or write interval=any on the scope line",
                column,
            )

    def _asks(self, column: int) -> None:
        if self.verb == "prepare" and self.scope.mode != LAZY:
            raise self.line.error(
                "only a lazy request asks for a spare; leave this out, or write mode=lazy on the scope line", column
            )

    def _read_order(self) -> None:
        column = self.line.column
        self.order = tuple(self.line.some_requests(self.scope))
        if len(self.order) != self.scope.requests:
            names = " ".join(f"r{request + 1}" for request in self.everyone)
            raise self.line.error(f"an order names every request once; write some order of {names}", column)
