"""Readable scripts: a file of commands and expectations, played on the spec and printed as a timeline.

Read read first (a file becomes a scenario), then commands (what may happen), read_command (how a line says it) and
stutters (steps that the spec has no word for). expectations is what may be said about a moment: observed_request,
observed_slot and observed_step read what follows and look. play takes the steps, timeline writes them down. line is one
line word by word, with the errors that point at a word, and spelling how a script writes what it speaks of.
"""
