"""MediaPipe on pictures: the Tasks API's results as arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, MissingPackageError
from bunraku.sources.camera_pictures import Colours, Picture
from bunraku.sources.depth_pictures import lifted
from bunraku.sources.landmarks import Landmarks
from bunraku.sources.mediapipe_landmarks import hands_by_side, picture_landmarks, world_landmarks
from bunraku.sources.vision_models import find_models

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_SURE = 0.5
"""least confidence for somebody to be there, and to be there still"""


@dataclass(frozen=True, eq=False)
class Detected:
    """What MediaPipe says of one picture; sides of hands are told by the wrists that they are at."""

    pose: Array | None
    """(33, 4) shares of the picture, and visibility"""
    pose_world: Array | None
    """(33, 4) m"""
    hands: Mapping[str, Array]
    """side → (21, 3) shares of the picture"""
    hands_world: Mapping[str, Array]
    """side → (21, 3) m"""

    def in_picture(self, width: int, height: int) -> Landmarks:
        """In pixels."""
        return picture_landmarks(self.pose, self.hands, width, height)

    def in_world(self, picture: Picture) -> tuple[Array, Flags]:
        """(K, 3) and (K,): lifted where there is depth, else MediaPipe's own guess."""
        if picture.depth is not None and picture.camera is not None:
            height, width = picture.depth.shape
            return lifted(picture.camera, picture.depth, self.in_picture(width, height))
        return world_landmarks(self.pose, self.pose_world, self.hands_world)


class Detector:
    """One person and their hands, followed from picture to picture."""

    def __init__(self) -> None:
        os.environ.setdefault("GLOG_minloglevel", "2")
        models = find_models()
        try:
            import mediapipe
            from mediapipe.tasks.python import BaseOptions, vision
        except ImportError:
            raise MissingPackageError("mediapipe", "camera", "seeing people in pictures") from None
        self._mediapipe = mediapipe
        mode = vision.RunningMode.VIDEO
        try:
            self._pose: Any = vision.PoseLandmarker.create_from_options(
                vision.PoseLandmarkerOptions(
                    base_options=BaseOptions(model_asset_path=str(models["pose.task"])), running_mode=mode,
                    min_pose_detection_confidence=_SURE, min_tracking_confidence=_SURE,
                )
            )  # fmt: skip
            self._hands: Any = vision.HandLandmarker.create_from_options(
                vision.HandLandmarkerOptions(
                    base_options=BaseOptions(model_asset_path=str(models["hand.task"])), running_mode=mode, num_hands=2,
                )
            )  # fmt: skip
        except (RuntimeError, ValueError, OSError) as error:
            raise InputError(f"MediaPipe does not take the models: {str(error).splitlines()[0]}") from None

    def see(self, colours: Colours, time_ms: int) -> Detected:
        """A picture (H, W, 3); times must grow."""
        image = self._mediapipe.Image(image_format=self._mediapipe.ImageFormat.SRGB, data=colours)
        pose = self._pose.detect_for_video(image, time_ms)
        hand = self._hands.detect_for_video(image, time_ms)
        body = _points(pose.pose_landmarks[0]) if pose.pose_landmarks else None
        seen = [_points(points)[:, :3] for points in hand.hand_landmarks]
        placed = hands_by_side(seen, body)
        worlds = {
            side: _points(hand.hand_world_landmarks[k])[:, :3]
            for side, points in placed.items() for k, one in enumerate(seen) if one is points
        }  # fmt: skip
        world = _points(pose.pose_world_landmarks[0]) if pose.pose_world_landmarks else None
        return Detected(body, world, placed, worlds)

    def close(self) -> None:
        """End."""
        self._pose.close()
        self._hands.close()


def _points(landmarks: Any) -> Array:
    """(N, 4) x, y, z and visibility."""
    return np.array([[p.x, p.y, p.z, 1.0 if p.visibility is None else p.visibility] for p in landmarks], float)
