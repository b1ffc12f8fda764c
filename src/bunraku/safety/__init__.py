"""What a robot may be told: limits on every command, and the states that decide whether there is one."""

from bunraku.safety.bounds import BaseBounds as BaseBounds
from bunraku.safety.bounds import Bounds as Bounds
from bunraku.safety.bounds import bounds_of as bounds_of
from bunraku.safety.guard import Authorised as Authorised
from bunraku.safety.guard import Guard as Guard
from bunraku.safety.guard import GuardSettings as GuardSettings
from bunraku.safety.limiter import Limiter as Limiter
from bunraku.safety.machine import Policy as Policy
from bunraku.safety.machine import State as State
from bunraku.safety.observed import Observed as Observed
