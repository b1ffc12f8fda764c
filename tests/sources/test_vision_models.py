"""MediaPipe's models: made from a package, and refused from anything else; and real pictures, where they are made."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.human.skeleton import INDEX
from bunraku.sources import read_motion
from bunraku.sources.vision_models import MODELS, build_models, find_models
from shared import data, need


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_is_no_such_package_is_refused(cache: Path, tmp_path: Path) -> None:
    """A text, another package, one whose networks are other ones; nothing is written."""
    text, other, changed = tmp_path / "a.whl", tmp_path / "b.whl", tmp_path / "c.whl"
    text.write_text("no")
    for path, names in ((other, ["x"]), (changed, [p.inside for parts in MODELS.values() for p in parts])):
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, b"TFL3")
    for path, words in ((text, "no wheel"), (other, "it is not mediapipe"), (changed, "not the network")):
        with pytest.raises(InputError, match=words):
            build_models(path)
    assert not cache.exists()


def test_missing_models_name_the_line_that_makes_them(cache: Path) -> None:
    """Both files, and the verb."""
    with pytest.raises(InputError, match=r"bunraku doctor --models \(pose.task, hand.task "):
        find_models()


def test_a_real_video_is_a_person() -> None:
    """The balancing man: seen in nearly all pictures, an adult's limbs, and the head turned to the camera."""
    pytest.importorskip("mediapipe")
    try:
        find_models()
    except InputError:
        pytest.skip("the models are not made on this machine: bunraku doctor --models")
    path = need(data("video/p2s*.mp4"))[0]
    motion = read_motion(f"video:{path}?tilt=16&roll=-20")
    assert len(motion) == 100
    assert motion.position_valid[:, INDEX["left_foot"]].mean() > 0.9
    leg = np.linalg.norm(motion.position("left_shin") - motion.position("left_thigh"), axis=1)
    assert 0.3 < np.median(leg) < 0.5
    assert np.median(motion.rotation("hips")[:, 0] ** 2) > 0.7
