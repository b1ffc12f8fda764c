"""Robots' interfaces: commands go out, measurements come back; the simulator is one of them. Pictures, too."""
