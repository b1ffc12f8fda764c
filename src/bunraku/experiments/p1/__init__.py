"""P1, Girard 2020: Leonardo's arms by a suit's rotations."""
