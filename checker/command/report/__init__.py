"""Results in words and as data: one file for each kind of result, and no logic of its own.

search and bmc report what was looked for, proof, ring and repair what the solver has shown, boundary what is proved
about the code that ships; mutation and boundary_mutation report the scores, fuzz a campaign, fields the fields of the
spec, traces with verdict and conformance a judged trace.
"""
