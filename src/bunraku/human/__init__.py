"""People: the canonical skeleton, one pose, a motion, merging and calibration."""

from bunraku.human.body import ADULT as ADULT
from bunraku.human.body import Body as Body
from bunraku.human.body import pose_body as pose_body
from bunraku.human.calibration import Calibration as Calibration
from bunraku.human.calibration import SourceOffset as SourceOffset
from bunraku.human.calibration import fit_offset as fit_offset
from bunraku.human.calibration import measure as measure
from bunraku.human.edit import at_speed as at_speed
from bunraku.human.edit import edited as edited
from bunraku.human.edit import mirrored as mirrored
from bunraku.human.edit import path_scaled as path_scaled
from bunraku.human.edit import resampled as resampled
from bunraku.human.ground import floor_height as floor_height
from bunraku.human.ground import foot_contacts as foot_contacts
from bunraku.human.ground import on_ground as on_ground
from bunraku.human.merge import merge_motions as merge_motions
from bunraku.human.pose import HumanMotion as HumanMotion
from bunraku.human.pose import HumanPose as HumanPose
