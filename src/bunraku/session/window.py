"""A performance in MuJoCo's own window, in real time and round and round, until the window is closed."""

from __future__ import annotations

import time

from bunraku.errors import OutputError
from bunraku.outputs.stage import stage_model
from bunraku.session.performance import Performance

FRAME_S = 1 / 60


def show(performance: Performance) -> None:
    """Open the window and play; returns when it is closed."""
    import mujoco.viewer

    model = stage_model(performance.robot, 1280, 960, shadows=True)
    data = mujoco.MjData(model)
    qpos, fps = performance.played.qpos, performance.played.fps
    try:
        viewer = mujoco.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=False)
    except RuntimeError as error:
        raise OutputError(f"the window does not open ({error}): bunraku demo --headless makes pictures") from error
    started = time.monotonic()
    with viewer:
        while viewer.is_running():
            frame = int((time.monotonic() - started) * fps) % len(qpos)
            data.qpos[:] = qpos[frame]
            mujoco.mj_forward(model, data)
            viewer.sync()
            time.sleep(FRAME_S)
