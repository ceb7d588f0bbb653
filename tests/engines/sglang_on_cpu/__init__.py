"""The control plane of sglang as it ships, on a machine without an accelerator, with a model that can be checked.

Everything that decides about state slots is the engine's own: requests, batches, the admission of prompts, the pools,
the prefix cache and the processing of results. Imitated are the forward pass and the loop around all of it. Read
`fake_model` for what a slot holds, `truth` for what is a wrong state, `loop` for the order of events, `world` for how
the engine's parts are put together, `workload` for what is asked of it, and `stubs` for how it can be imported at all.

This package enters the engine's process, so it imports the engine, torch and the standard library, and nothing of
slotproof: what it says about a run is known without any judge.
"""
