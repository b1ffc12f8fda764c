"""The small server that a headset's browser talks to: a process of its own, light, which knows no pose."""
