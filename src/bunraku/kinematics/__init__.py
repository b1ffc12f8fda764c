"""Rotations, rigid transforms and the numeric kernels of kinematic trees. Knows numpy and numba alone."""
