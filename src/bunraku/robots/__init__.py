"""Robots: their description, limits, shapes and semantics; loading URDF, xacro and MJCF; the built-in ones."""

from bunraku.robots.load import load_robot as load_robot
from bunraku.robots.motion import RobotMotion as RobotMotion
from bunraku.robots.robot import Robot as Robot
