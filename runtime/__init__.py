"""What the spec says may happen, done on torch: it imports neither `spec` nor `checker`, and they hold it to its word.

Read it in this order: boundary (what is decided), tracking (applied to columns), engine (one method for each action of
the spec), scheduler (the overlapped loop beside the plain one).
"""
