"""Sets of fingerprints: sorted arrays, of which one is looked up in another and two become one in a single pass."""

from __future__ import annotations

import numpy as np

from checker.search.expansion import Places
from checker.search.tables import Words


def first_of_each(prints: Words) -> Places:
    """Return the place of the first of each fingerprint, in order of the fingerprints."""
    places = np.argsort(prints, kind="stable")
    ordered = prints[places]
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return places[new]


def unknown(prints: Words, keep: Places, known: list[Words]) -> Places:
    """Drop the places whose fingerprints are in one of the sorted arrays `known`."""
    for words in known:
        if len(words):
            wanted = prints[keep]
            near = np.searchsorted(words, wanted)
            near[near == len(words)] = 0
            keep = keep[words[near] != wanted]
    return keep


def merge(a: Words, b: Words) -> Words:
    """Return two sorted arrays as one: the stable sort finds the two runs and merges them in one pass."""
    return np.sort(np.concatenate([a, b]), kind="stable")
