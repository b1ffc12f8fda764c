"""Between ROS 1 and a source: run by the Python that has rospy, which need not be ours, and knows nothing of ours.

`ros1_bridge.py CHANNEL hear|say TOPIC …`. Packets: `E` and why there is nothing; `D`, the topic's number, `f` or `d`
for the width of its numbers, and the message as ROS serialises it. `say` publishes such packets.
"""

import sys

if __name__ == "__main__":
    del sys.path[0]  # the folder of this file: its names are no modules of ROS's

import select
import socket
from typing import Any

KINDS = {"std_msgs/Float32MultiArray": b"f", "std_msgs/Float64MultiArray": b"d"}
_LARGEST = 1 << 16
_SECOND = 1.0


def _tell(channel: socket.socket, packet: bytes) -> None:
    """Or lose it: nobody is waited for."""
    try:
        channel.send(packet)
    except OSError:
        return


def _is_over(channel: socket.socket, published: dict[int, Any]) -> bool:
    """Whether the other side is gone, after at most a second; what it says is published."""
    ready, _, _ = select.select([channel], [], [], _SECOND)
    if not ready:
        return False
    packet = channel.recv(_LARGEST)
    if packet[:1] == b"D" and packet[1] in published:
        published[packet[1]].publish(packet[3:])
    return not packet


def _hear(rospy: Any, channel: socket.socket, topics: list[str]) -> None:
    def heard(message: Any, number: int) -> None:
        kind = KINDS.get(message._connection_header["type"])
        if kind is None:
            _tell(channel, b"E" + f"{topics[number]} holds {message._connection_header['type']}".encode())
        elif len(message._buff) < _LARGEST - 3:
            _tell(channel, b"D" + bytes([number]) + kind + message._buff)

    for number, topic in enumerate(topics):
        rospy.Subscriber(topic, rospy.AnyMsg, heard, callback_args=number, queue_size=1, tcp_nodelay=True)


def _say(rospy: Any, topics: list[str]) -> dict[int, Any]:
    from std_msgs.msg import Float64MultiArray  # type: ignore[import-not-found]

    class Packed(Float64MultiArray):  # type: ignore[misc]
        """A message that is serialised already."""

        def __init__(self, packed: bytes = b"") -> None:
            super().__init__()
            self.packed = packed

        def serialize(self, buff: Any) -> None:
            buff.write(self.packed)

    makers = [rospy.Publisher(topic, Packed, queue_size=1, tcp_nodelay=True) for topic in topics]
    return dict(enumerate(makers))


def main() -> int:
    """Until the channel ends, or ROS does."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    hears, topics = sys.argv[2] == "hear", sys.argv[3:]
    try:
        import rosgraph  # type: ignore[import-not-found]
        import rospy  # type: ignore[import-not-found]
    except ImportError:
        _tell(channel, b"EROS 1 is not there: sudo apt-get install python3-rospy python3-std-msgs python3-rosmaster")
        while not _is_over(channel, {}):
            pass
        return 1
    while not rosgraph.is_master_online():
        _tell(channel, b"Eno ROS master answers at " + rosgraph.get_master_uri().encode())
        if _is_over(channel, {}):
            return 0
    rospy.init_node("bunraku", anonymous=True, disable_signals=True)
    published: dict[int, Any] = {}
    if hears:
        _hear(rospy, channel, topics)
        _tell(channel, b"Enothing is published as " + topics[0].encode() + b" yet")
    else:
        published = _say(rospy, topics)
    while not _is_over(channel, published) and rosgraph.is_master_online():
        pass
    rospy.signal_shutdown("the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
