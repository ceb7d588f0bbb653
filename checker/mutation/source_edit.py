"""Places in a source text, so that one node of its syntax tree can be replaced and nothing else moves."""

from __future__ import annotations

import ast
import re

Span = tuple[int, int]
"""Where something begins and ends, in bytes."""


class SourceText:
    """A text and the places of its nodes; columns of a syntax tree count bytes, and the spec may not be ASCII."""

    def __init__(self, source: str) -> None:
        self.lines = [line.encode() for line in source.splitlines(keepends=True)]
        self.bytes = source.encode()
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Return the place of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, span: Span) -> str:
        """Return the text at a place."""
        return self.bytes[span[0] : span[1]].decode()

    def place(self, at: int) -> tuple[int, int]:
        """Return the line, counted from 1, and the column of a position."""
        line = next(number for number, start in enumerate(self.starts[1:], 1) if at < start)
        return line, at - self.starts[line - 1]

    def replaced(self, span: Span, new: str) -> str:
        """Return the whole text with another one at a place."""
        # What is shorter by lines is filled up, so that everything after it stays on its line.
        missing = self.of(span).count("\n") - new.count("\n")
        if missing:
            new = new + "\n" * missing if new == "pass" else f"({new}" + "\n" * missing + ")"
        return (self.bytes[: span[0]] + new.encode() + self.bytes[span[1] :]).decode()

    def between(self, left: ast.expr, right: ast.expr, word: str) -> Span:
        """Return the place of an operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(rf"(?<![<>=!]){re.escape(word)}(?![<>=!])", self.of((start, end)))
        assert found is not None
        return start + found.start(), start + found.end()
