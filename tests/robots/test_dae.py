"""COLLADA files."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.errors import RobotError
from bunraku.robots import dae

SQUARE = "0 0 0  1 0 0  1 1 0  0 1 0"


def collada(primitive: str, *, asset: str = "", node: str = "", nodes: str = "", scene: bool = True) -> bytes:
    """One square with its vertices used by the primitive, placed by a node."""
    placed = f"""<library_visual_scenes><visual_scene><node id="n">{node}<instance_geometry url="#g"/></node>{nodes}
    </visual_scene></library_visual_scenes>"""
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset>{asset}</asset>
    <library_geometries><geometry id="g"><mesh><source id="p"><float_array>{SQUARE}</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{primitive}</mesh></geometry>
    </library_geometries>
    {placed if scene else ""}</COLLADA>""".encode()


VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>'
TWO = f"<triangles count='2'>{VERTEX}<p>0 1 2 0 2 3</p></triangles>"


@pytest.mark.parametrize(
    "primitive",
    [
        TWO,
        f'<triangles>{VERTEX}<input semantic="NORMAL" offset="1"/><p>0 9 1 9 2 9 0 9 2 9 3 9</p></triangles>',
        f"<polylist>{VERTEX}<vcount>4</vcount><p>0 1 2 3</p></polylist>",
        f"<polylist>{VERTEX}<vcount>3 2 3</vcount><p>0 1 2 0 1 0 2 3</p></polylist>",
        f"<polygons>{VERTEX}<p>0 1 2 3</p></polygons>",
    ],
)
def test_all_primitives_give_the_same_triangles(primitive):
    """Triangles with any stride, polygons as fans; lines between them are left out."""
    found = dae.triangles(collada(primitive))
    assert found.tolist() == [[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]]


@pytest.mark.parametrize(
    "node, corner",
    [
        ("<translate>1 2 3</translate>", [2, 3, 3]),
        ("<rotate>0 0 1 90</rotate>", [-1, 1, 0]),
        ("<scale>2 3 4</scale>", [2, 3, 0]),
        ("<translate>1 0 0</translate><rotate>0 0 2 90</rotate><scale>2 1 1</scale>", [0, 2, 0]),
        ("<matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>", [4, 7, 7]),
    ],
)
def test_nodes_place_their_geometry(node, corner):
    """Transforms apply in the order in which they are written."""
    assert dae.triangles(collada(TWO, node=node))[0, 2] == pytest.approx(corner)


def test_inner_and_shared_nodes_are_followed():
    """Children inherit, instances of library nodes count, and without a scene everything stands at the origin."""
    up = "<translate>0 0 1</translate>"
    inner = f'<node>{up}<node>{up}<instance_geometry url="#g"/></node></node>'
    found = dae.triangles(collada(TWO, nodes=inner))
    assert sorted(set(found[..., 2].ravel())) == [0, 2]
    assert len(dae.triangles(collada(TWO, scene=False))) == 2


def test_unit_and_up_axis():
    """The unit always applies, the up axis on request."""
    file = collada(TWO, asset='<unit meter="0.01"/><up_axis>Y_UP</up_axis>')
    assert dae.triangles(file)[0, 2] == pytest.approx([0.01, 0.01, 0])
    assert dae.triangles(file, heed_up_axis=True)[0, 2] == pytest.approx([0.01, 0, 0.01])
    z_up = collada(TWO, asset="<up_axis>Z_UP</up_axis>")
    assert np.array_equal(dae.triangles(z_up), dae.triangles(z_up, heed_up_axis=True))


def test_a_look_tells_axis_and_colour():
    """From the first bytes alone; nonsense is no colour."""
    text = b"<up_axis> Y_UP</up_axis><diffuse><color sid='d'>0.5 0.25 2 1</color></diffuse>"
    assert dae.look(text) == dae.Look(True, (0.5, 0.25, 1.0, 1.0))
    assert dae.look(b"<diffuse><color>red</color></diffuse>") == dae.Look(False, None)


@pytest.mark.parametrize(
    "content, says",
    [
        (b"<robot/>", "not a COLLADA file"),
        (collada(f"<triangles>{VERTEX}<p>0 1 7</p></triangles>"), "vertex that does not exist"),
        (collada(f"<triangles>{VERTEX}<p>0 1 -7</p></triangles>"), "vertex that does not exist"),
        (collada(f"<triangles>{VERTEX}<p>0 1 x</p></triangles>"), "words"),
        (collada("<triangles><p>0 1 2</p></triangles>"), "without vertices"),
        (collada(f"<polylist>{VERTEX}<vcount>9</vcount><p>0 1 2</p></polylist>"), "more vertices than it has"),
        (collada(f"<polylist>{VERTEX}<vcount>-3</vcount><p>0 1 2</p></polylist>"), "more vertices than it has"),
        (collada(TWO.replace('offset="0"', 'offset="1e6"')), "offset"),
        (collada(TWO, node="<matrix>1 2 3</matrix>"), "<matrix> must be 16"),
        (collada(TWO).replace(b"1 1 0", b"1 nan 0"), "finite"),
        (collada(TWO, nodes="<node><instance_node url='#l'/></node>").replace(
            b"<library_visual",
            b"<library_nodes><node id='l'><instance_node url='#l'/></node></library_nodes><library_visual",
        ), "circle"),
    ],
)  # fmt: skip
def test_what_lies_is_refused(content, says):
    """Counts, indices and references are checked."""
    with pytest.raises(RobotError, match=says):
        dae.triangles(content)
