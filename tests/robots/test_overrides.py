"""A robot's YAML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import RobotError, UnknownNameError
from bunraku.robots import load_robot, overrides
from small_robots import arm, our_errors_only, write


def test_everything_can_be_overridden(tmp_path):
    """From a file as from a mapping."""
    text = """
    name: pal
    description: a friend
    base: free
    neutral: {elbow: 0.5}
    velocity: {elbow: 1.5}
    effort: {elbow: 2}
    lower: {elbow: -0.5}
    upper: {elbow: 0.75}
    semantics: {links: {left_hand: hand}}
    hands: {left: on-off, right: proportional}
    """
    notes = write(tmp_path, text, "notes.yaml")
    for given_as in (notes, overrides.read_overrides(notes)):
        robot = load_robot(write(tmp_path, arm()), overrides=given_as)
        assert (robot.name, robot.base) == ("pal", "free")
        assert [robot.neutral[7], robot.velocity[0], robot.effort[0], robot.lower[0], robot.upper[0]] == [
            0.5,
            1.5,
            2,
            -0.5,
            0.75,
        ]
        assert robot.overrides["semantics"] == {"links": {"left_hand": "hand"}}
        assert robot.overrides["hands"] == {"left": "on-off", "right": "proportional"}


def test_arguments_win_over_the_file_beside_the_robot(tmp_path):
    """A robot in a folder of its own has a robot.yaml; what is passed replaces its keys; `base` beats both."""
    write(tmp_path, arm(), "pal/robot.urdf")
    write(tmp_path, "{base: free, velocity: {elbow: 1}}", "pal/robot.yaml")
    assert load_robot(tmp_path / "pal").base == "free"
    robot = load_robot(tmp_path / "pal", overrides={"velocity": {"elbow": 2}}, base="fixed")
    assert (robot.name, robot.base, robot.velocity[0]) == ("pal", "fixed", 2)


@pytest.mark.parametrize(
    "text, says",
    [
        ("colour: red", "unknown key of a robot's YAML 'colour'"),
        ("base: floating", "base must be free, fixed or planar"),
        ("name: 3", "name must be text"),
        ("semantics: 3", "semantics must be a mapping"),
        ("hands: on-off", "hands must map left and right to a mode"),
        ("hands: {top: on-off}", "unknown hand 'top'"),
        ("hands: {left: half}", "unknown mode of a hand 'half'"),
        ("velocity: 3", "velocity must map joint names to numbers"),
        ("velocity: {elbow: 0}", "velocity of 'elbow' must be a positive number"),
        ("lower: {elbow: .inf}", "lower of 'elbow' must be a finite number"),
        ("lower: {elbow: yes}", "lower of 'elbow' must be a finite number"),
        ("neutral: {knee: 1}", "unknown joint 'knee'. Valid: elbow"),
        ("lower: {elbow: 3}", "joint 'elbow' has its lower limit above its upper one"),
        ("- a", "mapping at the top"),
        ("a: [", "not YAML"),
        ("!!python/object/apply:os.system [echo]", "not YAML"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("name: " + "[" * 50 + "]" * 50, "nested deeper"),
        (b"\xff\xfe\x00", "not"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path, text, says):
    """One line, with the valid names where a name is wrong."""
    notes = write(tmp_path, text, "notes.yaml")
    with pytest.raises((RobotError, UnknownNameError), match="(?s)" + says.replace("(", r"\(")) as caught:
        load_robot(write(tmp_path, arm()), overrides=notes)
    assert "\n" not in str(caught.value)


def test_an_empty_file_overrides_nothing(tmp_path):
    """Nor does one of comments."""
    assert overrides.read_overrides(write(tmp_path, "# nothing\n", "n.yaml")) == {}


def test_files_are_bounded(tmp_path):
    """A missing one and a large one."""
    with pytest.raises(RobotError, match="no such file"):
        overrides.read_overrides(tmp_path / "gone.yaml")
    with pytest.raises(RobotError, match="larger than 1 MiB"):
        overrides.read_overrides(write(tmp_path, b"#" * (2 << 20), "big.yaml"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(overrides.KEYS), VALUES))
def test_any_mapping_is_checked(content):
    """Arbitrary values are taken or refused with one of our errors."""
    with our_errors_only():
        overrides.check(content)


def test_what_is_merged():
    """Entry by entry, the later one wins, and neither is changed."""
    under = {"velocity": {"a": 1.0, "b": 2.0}, "base": "free", "semantics": {"links": {"head": "x"}}}
    over = {"velocity": {"b": 3.0}, "base": "fixed", "semantics": {"links": {"chest": "y"}}}
    assert overrides.merged(under, over) == {
        "velocity": {"a": 1.0, "b": 3.0}, "base": "fixed", "semantics": {"links": {"head": "x", "chest": "y"}},
    }  # fmt: skip
    assert under["velocity"] == {"a": 1.0, "b": 2.0}


def test_one_velocity_leaves_the_others_of_the_yaml_beside_it(tmp_path):
    """What is passed overrides the entries that it has, not the whole table."""
    puppet = load_robot("puppet")
    other = load_robot("puppet", overrides={"velocity": {"neck_yaw_joint": 1.0}})
    changed = puppet.velocity != other.velocity
    assert [puppet.joint_names[j] for j in changed.nonzero()[0]] == ["neck_yaw_joint"]
