"""How good the tests of a room are: small faults are put into it, one at a time, and tests must notice each."""
