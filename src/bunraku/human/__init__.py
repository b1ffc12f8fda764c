"""People: the canonical skeleton, one pose, a motion, merging and calibration."""

from bunraku.human.pose import HumanMotion as HumanMotion
from bunraku.human.pose import HumanPose as HumanPose
