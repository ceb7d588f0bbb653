"""Hypothesis profiles, all explicit: dev and ci search anew in every run, fuzz searches for long."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Under CI Hypothesis would derandomize by itself, and then no run would ever try anything that the first did not.
# print_blob gives the line that reproduces a failure found on another machine.
_COMMON = {
    "deadline": None,
    "derandomize": False,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("dev", settings(max_examples=50, **_COMMON))
settings.register_profile("ci", settings(max_examples=100, **_COMMON))
settings.register_profile("fuzz", settings(max_examples=5_000, **_COMMON))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))
