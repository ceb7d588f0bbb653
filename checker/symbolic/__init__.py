"""One text, its readings: a function becomes an expression graph, which runs as numpy columns or as solver terms.

Read subset first: it lists all that may be written, with what Python does there. node, graph and values are what a walk
computes with, store and path what it knows of the state and of where it is, frame what a call sees. The walk is made of
layers, each on top of the one before: expressions (names and their parts; outside: of what is no state), operators
(with equality), assignments, folds (generator expressions), builtin_calls, calls, statements, and walk itself, which is
one call; transitions makes one walk for each action. columns and terms are the two readings. unread says which fields
no text reads. naming, naming_graph and naming_walk find out who goes by names.
"""
