"""The proofs: which scopes, in parallel processes, and what they show together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import spec.model
from checker.deadline import Deadline
from checker.model.designs import design_class
from checker.model.model import Model
from checker.model.user_files import FILES, BadModel
from checker.model.user_model import naming
from checker.proof.induction import Answers, Induction, Obligation
from checker.proof.term_audit import of_proof
from checker.search.audit import Audit
from checker.workers import spread
from spec.scope import EAGER, LAZY, Scope

EVERY_LENGTH = 1 << 62
"""The longest sequence of a proof, in tokens: no engine reaches it, and nothing in the proof depends on it."""

CORE = f"requests=1 slots=5 nodes=5 interval=any max_len={EVERY_LENGTH} others=on"
"""One request of ours among any number of others, any boundary pattern, with the ring and lookahead of the default."""

MATRIX: tuple[tuple[str, str], ...] = (
    ("eager", f"{CORE} slots=6 nodes=6 mode=eager"),
    ("lazy, overwrite", f"{CORE} slots=6 nodes=6 mode=lazy"),
    ("lazy, skip", f"{CORE} slots=6 nodes=6 mode=lazy without_spare=skip"),
    ("eager, lookahead 2", f"{CORE} mode=eager lookahead=2 ring=3"),
    ("lazy, lookahead 2", f"{CORE} mode=lazy lookahead=2 ring=3"),
)
"""What `slotproof prove` proves: (name, scope)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One scope to prove for one design."""

    name: str
    scope: str
    design: str = "slotproof"
    needs: bool = False
    """Whether each lemma's need is shown as well."""
    seed: int = 0
    seconds: float | None = 20.0
    """What the solver may take for one obligation."""
    ends: float | None = None
    """When the time for all of it is over, by the clock that all processes share; None: never."""


@dataclass(slots=True)
class Proven(Answers):
    """What came out."""

    proof: Proof
    scope: str
    obligations: list[Obligation] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    needed: dict[str, str] = field(default_factory=dict)
    """For each lemma an obligation that fails without it."""
    open: int = 0
    """How often the solver has given up on the question whether a lemma is needed."""
    seconds: float = 0.0
    audit: Audit = field(default_factory=Audit)
    """The native tries that were held against the terms."""
    complete: bool = False
    """Whether every obligation was asked."""

    @property
    def holds(self) -> bool:
        """Whether everything is proved, and the terms say what the text says."""
        return self.complete and not self.failed and not self.unknown and self.audit.enough

    @property
    def settled(self) -> bool:
        """Whether it holds, and would again: the solver has given up on nothing, and no file of a user's has a part."""
        return self.holds and not self.open and self.proof.ends is None and not self.proof.design.endswith(".py")


def parse(text: str) -> Scope:
    """Return a scope from words of which later ones replace earlier ones."""
    words = dict(word.split("=", 1) for word in text.split())
    return Scope.parse(" ".join(f"{name}={value}" for name, value in words.items()))


def model_of(proof: Proof) -> Model:
    """Return the model of a proof; raises BadScope or BadModel."""
    scope = parse(proof.scope)
    return Model(spec.model, scope, design_class(proof.design)(scope))


def induction_of(proof: Proof) -> Induction:
    """Return the obligations of a proof; raises BadModel where a design of the user's own goes by names.

    One named request stands for all, and a few slots for any number: what treats one of them in its own way, or asks
    how many are watched, would be proved of that one alone.
    """
    foreign = proof.design.endswith(".py")
    induction = Induction(model_of(proof), naming=foreign)
    names = induction.reader.names
    for finding in sorted({*names.found, *names.asked}, key=lambda each: (each.file not in FILES, str(each))):
        raise BadModel(
            f"{finding}, and a proof has one named request for all and six slots for any number; compare names only "
            "with each other and with ABSENT, ask the scope for none of its bounds, or search it: "
            f"slotproof explore --design {proof.design}"
        )
    return induction


def prove(proof: Proof) -> Proven:
    """Show every obligation of one scope, as far as there is time."""
    started = time.perf_counter()
    result = Proven(proof, str(parse(proof.scope)))
    file = proof.design if proof.design.endswith(".py") else ""
    with Deadline(None if proof.ends is None else proof.ends - time.monotonic()), naming(file):
        induction = induction_of(proof)
        result.lemmas = induction.lemmas
        needed = result.needed if proof.needs else dict.fromkeys(induction.lemmas, "")
        for obligation in induction.show(needed, proof.seed, proof.seconds):
            result.obligations.append(obligation)
        result.audit = of_proof(induction, proof.seed, proved=not result.failed and not result.unknown)
        result.open, result.complete = induction.open, True
    result.seconds = time.perf_counter() - started
    return result


def prove_all(proofs: Sequence[Proof], workers: int | None = None) -> Iterator[Proven]:
    """Prove scopes in parallel processes, and yield them as they are done."""
    return spread(prove, proofs, workers)


ON_THE_WAY = 0.4
"""Seconds that results may take from a worker to here."""


def prove_matrix(
    design: str,
    seed: int,
    clock: Deadline,
    note: Callable[[str], None],
    performed: Callable[[Sequence[Proof]], Iterable[Proven]] = prove_all,
) -> list[Proven]:
    """Prove a design as far as there is time; what was not reached by then is returned as not complete."""
    wanted = matrix(design, seed=seed, ends=None if clock.seconds is None else clock.ends)
    done: dict[Proof, Proven] = {}
    # What the workers have proved by then has to come back and be reported.
    with Deadline(None if clock.seconds is None else clock.seconds + ON_THE_WAY, last_resort=True):
        for result in performed(wanted):
            done[result.proof] = result
            note(f"{len(done)} of {len(wanted)} proofs done")
    return [done.get(proof) or Proven(proof, str(parse(proof.scope))) for proof in wanted]


def matrix(design: str = "slotproof", quick: bool = False, seed: int = 0, ends: float | None = None) -> list[Proof]:
    """Return what is to be proved, the longest first; after `ends` no more is asked.

    Of our own design each lemma's need is shown as well, once per mode, in the smallest scope.
    """
    needs = design == "slotproof"
    proofs = [Proof(f"{mode}, core", f"{CORE} mode={mode}", design, needs, seed, ends=ends) for mode in (EAGER, LAZY)]
    if not quick and needs:
        wider = [Proof(name, scope, design, False, seed, ends=ends) for name, scope in reversed(MATRIX)]
        proofs = [*wider, *proofs]
    return proofs


def unneeded(results: Sequence[Proven]) -> list[str]:
    """Return the lemmas without which, in the proofs that look for it to the end, nothing breaks."""
    looked = [result for result in results if result.proof.needs]
    if not all(result.complete for result in looked):
        return []
    found = {lemma for result in looked for lemma in result.needed}
    return sorted({lemma for result in looked for lemma in result.lemmas} - found)


def export(proof: Proof, folder: Path, progress: Callable[[int], None] | None = None) -> int:
    """Write each obligation of a scope as an SMT-LIB 2 script into a folder, and return how many there are.

    A second solver must answer unsat to each: what is asked is whether the obligation can be broken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    induction = induction_of(proof)
    count = 0
    for by, target, script in induction.scripts():
        name = by.replace(" ", "_").replace("=", "-")
        (folder / f"{count:03}-{name}-{target}.smt2").write_text(script)
        count += 1
        if progress:
            progress(count)
    return count
