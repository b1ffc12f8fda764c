"""Human pose → robot target: correspondence of the two bodies, and the mappers."""

from bunraku.retarget.correspondence import Weights as Weights
from bunraku.retarget.mapper import MAPPERS as MAPPERS
from bunraku.retarget.mapper import Mapper as Mapper
from bunraku.retarget.mapper import Target as Target
from bunraku.retarget.mapper import make_mapper as make_mapper
from bunraku.retarget.whole_body import MapperState as MapperState
from bunraku.retarget.whole_body import WholeBodyMapper as WholeBodyMapper
from bunraku.retarget.whole_body import retarget as retarget
