"""What ends an attempt to record an engine."""

from __future__ import annotations


class Refused(Exception):
    """This engine, as it is, cannot be recorded; the message names what is missing."""
