"""The papers' experiments, run again: scripted motion, seen as each device would see it, through the real pipeline.

One folder a paper; `catalog.py` lists what there is, `devices.py` and `rgbd.py` say what each device does to the truth.
"""
