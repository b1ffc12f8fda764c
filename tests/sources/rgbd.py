"""A small recording of colour and depth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from bunraku.sources.depth_pictures import write_depth

CAMERA = {"fps": 15, "width": 64, "height": 48, "fx": 60.0, "fy": 60.0, "cx": 32.0, "cy": 24.0}


def folder(tmp_path: Path, frames: int = 4) -> Path:
    """A recording of colour and depth."""
    (tmp_path / "color").mkdir()
    (tmp_path / "depth").mkdir()
    (tmp_path / "camera.json").write_text(json.dumps(CAMERA))
    for k in range(frames):
        Image.fromarray(np.full((48, 64, 3), k, np.uint8)).save(tmp_path / "color" / f"{k:06d}.png")
        write_depth(tmp_path / "depth" / f"{k:06d}.png", np.full((48, 64), 1.0 + k))
    return tmp_path
