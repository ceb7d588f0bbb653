"""A control plane with the seams of sglang 0.5.23 and nothing else: eager, a ring of two, no model."""
