"""One text, its readings: a function becomes an expression graph, which runs as numpy columns or as solver terms.

Read subset first: it lists all that may be written, with what Python does there. graph and values are what a walk
computes with, store and path what it knows of the state and of where it is, frame what a call sees. statements and
expressions walk the text, calls and outside what it reaches from there; transitions makes one walk for each action.
columns and terms are the two readings. unread says which fields no text reads. naming and naming_walk find out who
goes by names.
"""
