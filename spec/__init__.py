"""What may happen: the protocol of track slots as plain Python that runs, and that the checker can read.

Read it in this order: scope (the bounds of one check), state (the records, each field with its range and sentence),
domains (what the parameters of actions range over) and actions (what can happen, in the order of a request's life),
with what they act through: boundary (which lengths are boundaries), ring, rows (rows in flight) and slots (owners).
Then design (the decisions that designs take differently), properties (what must hold), applies (in which scopes),
sometimes (what must be seen) and lemmas (the contract). environment says what other requests are assumed to keep,
guarantee that ours keep it, postconditions what ours does beyond doing no harm. language holds the few words that all
of it is written in; model is the module that the checker loads.
"""
