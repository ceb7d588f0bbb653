"""The solver: shortest violations depth by depth, and proofs for all lengths.

Read solver, unrolling (a model's relation, depth by depth) and bmc first (bounded checking), then induction (a proof,
obligation by obligation, and the lemmas that are inductive together), matrix (which scopes are proved) and cti (what
an obligation that fails means). ring_theorem is the theorem about the ring's size, ring_search its cells; repair,
with repair_changes, repair_conflicts and repair_lemmas, looks for the smallest change that makes a design hold.
boundary_contract says what the code that ships decides, in sentences; boundary_source, boundary_columns,
boundary_witness and boundary_proof prove it of its text. term_readings and term_audit hold native tries against the
solver's terms.
"""
