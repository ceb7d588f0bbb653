"""What the spec says may happen, done on torch: it imports neither `spec` nor `checker`, and they hold it to its word.

Read it in this order: config (every size and mode), boundary (what is decided), tracking (applied to columns), engine
(one method for each action of the spec) with submission (work handed to the device) and publisher (the way into the
cache), scheduler (the overlapped loop beside the plain one). What they stand on: pool (who owns each slot),
prefix_cache, requests (the table of records), batch (what a batch recorded) and columns (their block of integers). The
device's part: states (the tensors), device_ops and forward (what is done to them), upload (the way of a step's columns
to the device), streams (where the work runs), exact_model (a model whose state shows what it has absorbed). guard and
arguments check who calls and with what; observer is the hook for whoever records.
"""
