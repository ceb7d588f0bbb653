"""An engine that the table does not fit is refused by name, before anything of it runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from slotproof_attach.seams import Seam, missing
from slotproof_attach.sglang.table import BATCH, HOOKED, SEAMS

from tests.support.recording import FAKE, PRELUDE, record, traces

STARTED = "print('the engine has started')\nScheduler().run(Req('A', range(10), 9))\n"
BATCHES = "managers/schedule_batch.py"
PLACES = {
    "a method": (BATCHES, "def prepare_for_decode", "def prepare_decode", "prepare_for_decode (for launch)"),
    "a field of a request": (BATCHES, "decode_batch_idx", "decode_steps", "Req.decode_batch_idx"),
    "a field of its record": (BATCHES, "mamba_next_track_idx", "next_idx", "ReqKvInfo.mamba_next_track_idx"),
    "a field of a batch": (BATCHES, "mamba_track_mask_cpu", "track_mask", "ScheduleBatch.mamba_track_mask_cpu"),
    "a class": ("mem_cache/allocator/mamba.py", "class MambaSlotAllocator", "class Slots", "MambaSlotAllocator.free"),
    "a module": ("mem_cache/base_prefix_cache.py", None, None, "base_prefix_cache.InsertParams.key (for publish)"),
}


def changed(tmp_path: Path, file: str, old: str | None, new: str | None) -> Path:
    """A copy of the engine with another text in one of its files; without any: without the file."""
    engine = tmp_path / "engine"
    shutil.copytree(FAKE, engine)
    place = engine / "sglang" / "srt" / file
    if old is None or new is None:
        place.unlink()
    else:
        text = re.sub(rf"\b{old}\b", new, place.read_text())
        assert text != place.read_text()
        place.write_text(text)
    return engine


@pytest.mark.parametrize("place", PLACES)
def test_a_missing_seam_is_refused_by_name_before_the_engine_starts(tmp_path, place):
    file, old, new, named = PLACES[place]
    done = record(tmp_path, STARTED, changed(tmp_path, file, old, new))
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert traces(tmp_path) == []


@pytest.mark.parametrize("release", ["0.5.24", "0.5.16", "0.5.23.post1", "0.6.0.dev3", "unreadable"])
def test_an_unknown_release_is_refused_by_name(tmp_path, release):
    engine = tmp_path / "engine"
    shutil.copytree(FAKE, engine)
    (engine / "sglang" / "_version.py").write_text(f'__version__ = version = "{release}"\n')
    done = record(tmp_path, STARTED, engine)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"sglang {release} in" in done.stderr
    assert "0.5.17 to 0.5.23" in done.stderr


def test_an_engine_that_is_found_late_is_refused_where_it_is_imported(tmp_path):
    engine = changed(tmp_path, *PLACES["a method"][:3])
    empty = tmp_path / "empty"
    empty.mkdir()
    late = (
        f"import sys\nsys.path.insert(0, {str(engine)!r})\n"
        f"try:\n    exec({PRELUDE!r})\nexcept BaseException:\n    print('caught')\n"
    )
    done = record(tmp_path, late, empty, prelude="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "prepare_for_decode (for launch)" in done.stderr


def test_every_seam_is_looked_for(tmp_path):
    """Without any of its files, the engine lacks all that its release should have."""
    release = (0, 5, 23)
    concerned = [seam.words() for seam in SEAMS if seam.concerns(release)]
    assert missing(SEAMS, release, tmp_path) == concerned
    assert missing(SEAMS, release, FAKE) == []
    assert len(concerned) > len(HOOKED)


@pytest.mark.parametrize(
    "text",
    [
        "class Req:\n    def __init__(self):\n        self.rid = 0\n",
        "class Req:\n    rid = 0\n",
        "class Req:\n    rid: int\n",
        "class Req:\n    def rid(self): ...\n",
        "class Req:\n    def __init__(me):\n        me.rid, me.other = 0, 1\n",
        "class Req:\n    def later(self):\n        with open('x') as self.rid:\n            pass\n",
    ],
)
def test_a_field_may_be_declared_or_assigned(tmp_path, text):
    file = tmp_path.joinpath(*BATCH.split(".")).with_suffix(".py")
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert missing([Seam(BATCH, "Req", "rid", "launch")], (0, 5, 23), tmp_path) == []
    assert missing([Seam(BATCH, "Req", "name", "launch")], (0, 5, 23), tmp_path) == [f"{BATCH}.Req.name (for launch)"]


def test_a_name_that_is_only_read_is_no_field(tmp_path):
    file = tmp_path.joinpath(*BATCH.split(".")).with_suffix(".py")
    file.parent.mkdir(parents=True)
    file.write_text("class Req:\n    def words(self):\n        return self.rid\n")
    assert missing([Seam(BATCH, "Req", "rid", "launch")], (0, 5, 23), tmp_path)
