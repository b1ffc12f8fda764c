"""Where human motion comes from: one file per device or format."""

from bunraku.sources.health import Health as Health
from bunraku.sources.live import Device as Device
from bunraku.sources.live import Source as Source
from bunraku.sources.live import open_source as open_source
from bunraku.sources.source import Recording as Recording
from bunraku.sources.source import read_motion as read_motion
from bunraku.sources.source import recordings as recordings
from bunraku.sources.source import scheme_of as scheme_of
