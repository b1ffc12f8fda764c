"""OpenGL without a window: a context to draw into, from whichever library this machine has."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from bunraku.errors import GraphicsError

APT_LINE = "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri"
_OSMESA = ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")


def backend() -> str:
    """What MUJOCO_GL says, else "egl" or "osmesa", whichever is there; MuJoCo's own choice where Linux is not."""
    chosen = os.environ.get("MUJOCO_GL", "").strip().lower()
    if chosen in ("egl", "osmesa", "glfw"):
        return chosen
    if not sys.platform.startswith("linux"):
        return "default"
    if _egl_devices():
        return "egl"
    if any(_library(name) for name in _OSMESA):
        return "osmesa"
    raise GraphicsError(f"pictures need an OpenGL library that works without a screen: {APT_LINE} (or libosmesa6)")


def open_context(width: int, height: int) -> Any:
    """A MuJoCo `GLContext` of this size. The choice is made once for the whole process: PyOpenGL holds on to it."""
    kind = backend()
    try:
        if kind == "egl":
            from mujoco.egl import GLContext
        elif kind == "osmesa":
            from mujoco.osmesa import GLContext
        elif kind == "glfw":
            from mujoco.glfw import GLContext
        else:
            from mujoco.gl_context import GLContext
        return GLContext(width, height)
    except (ImportError, AttributeError, RuntimeError, OSError) as error:
        raise GraphicsError(f"OpenGL by '{kind}' does not start ({error}): {APT_LINE}, or set MUJOCO_GL") from error


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _egl_devices() -> int:
    """How many devices EGL can draw on; a software renderer counts."""
    egl = _library("libEGL.so.1")
    if egl is None:
        return 0
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    address = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    if not address:
        return 0
    query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))(address)
    count = ctypes.c_int(0)
    return count.value if query(0, None, ctypes.byref(count)) else 0
