"""Readable scripts: a file of commands and expectations, played on the spec and printed as a timeline.

Read read first (a file becomes a scenario) and line (its words, and the errors that point at one), then commands and
stutters (what may happen), expectations and observations (what may be said about it) and play.
"""
