"""Joins source → retarget → output."""
