"""An expression graph as instructions over blocks of states: the fast reading of a text, and the slow one's opposite.

Nothing is compiled for a model. Read instructions first: it lists what the machine can do, with blocks of 256 states.
assembler turns values of a graph into instructions, and decides which register holds what. The kernels are compiled
once for each installation: interpreter (runs instructions), transposing (rows of states to registers and back),
hashing (fingerprints, also those without names), table (which states have been seen) and level (all steps from one
level, made of the four). native and arrays say how a kernel is written, job what it works on; build compiles them, in a
process of its own, and store keeps what came of it on disk and loads it. Whoever only runs a search never imports the
compiler.
"""
