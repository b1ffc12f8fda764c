"""Human pose → robot target: correspondence of the two bodies, and the mappers."""

from bunraku.retarget.correspondence import MODES as MODES
from bunraku.retarget.correspondence import Weights as Weights
from bunraku.retarget.whole_body import MapperState as MapperState
from bunraku.retarget.whole_body import Target as Target
from bunraku.retarget.whole_body import WholeBodyMapper as WholeBodyMapper
from bunraku.retarget.whole_body import retarget as retarget
