"""The meshes, textures and materials of an MJCF file: what is found gets a plain name, what is not is left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from bunraku.robots.description import Description, unique
from bunraku.robots.files import Files

_MAX_TEXTURE = 8192
_PNG = b"\x89PNG\r\n\x1a\n"


def keep_assets(out: Description, files: Files, compiler: Mapping[str, str]) -> None:
    """Meshes, textures and materials stay; their files are called by plain names, unique in this robot."""
    strip = compiler.get("strippath") == "true"
    folders = {tag: compiler.get(f"{tag}dir") or compiler.get("assetdir") or "" for tag in ("mesh", "texture")}
    section = out.section("asset")
    taken: set[str] = set()
    textures: set[str] = set()
    for element in list(section):
        reference = element.get("file", "")
        reference = Path(reference).name if strip else reference
        if element.tag == "mesh":
            name = unique(element.get("name") or Path(reference).stem or "mesh", taken)
            element.set("name", name)
            _set_mesh(element, name, files.find(reference, folders["mesh"]) if reference else None, out)
        elif element.tag == "texture":
            path = files.find(reference, folders["texture"]) if reference else None
            name = element.get("name") or Path(reference).stem
            if _keep_texture(element, path):
                if path is not None:
                    file = out.file_name(name, ".png")
                    out.textures[file] = path
                    element.set("file", file)
                element.set("name", name)
                textures.add(name)
            else:
                section.remove(element)
        elif element.tag != "material":
            section.remove(element)
    for material in section.findall("material"):
        if material.get("texture") and material.get("texture") not in textures:
            material.attrib.pop("texture")
        for layer in list(material):
            if layer.get("texture") not in textures:
                material.remove(layer)


def _set_mesh(element: Element, name: str, path: Path | None, out: Description) -> None:
    """A mesh from a file; one that the XML itself spells out or generates counts as not found."""
    reference = element.get("file") or name
    for key in set(element.attrib) - {"name", "class", "scale", "refpos", "refquat", "smoothnormal", "maxhullvert"}:
        element.attrib.pop(key)
    element.set("inertia", "shell")
    element.set("file", out.add_mesh(name, path, reference))


def _keep_texture(element: Element, path: Path | None) -> bool:
    if element.get("type") == "skybox" or any(key.startswith("file") and key != "file" for key in element.attrib):
        return False
    if element.get("file"):
        return path is not None and _small_png(path)
    sides = [element.get("width") or "0", element.get("height") or "0"]
    return bool(element.get("builtin")) and all(side.isdigit() and int(side) <= _MAX_TEXTURE for side in sides)


def _small_png(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(24)
    except OSError:
        return False
    sides = (int.from_bytes(head[16:20]), int.from_bytes(head[20:24]))
    return head[:8] == _PNG and all(0 < side <= _MAX_TEXTURE for side in sides)
