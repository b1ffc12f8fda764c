"""An operator's calibration as a small file: YAML, or JSON by its ending; checked when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from bunraku.errors import InputError, UnknownNameError
from bunraku.files import whole_file
from bunraku.human import Calibration

SUFFIXES = (".yaml", ".yml", ".json")
_DIGITS = 6
_MOST_BYTES = 1 << 20


def need_suffix(path: Path) -> None:
    """Refuse an ending that is neither YAML's nor JSON's."""
    if path.suffix.lower() not in SUFFIXES:
        raise UnknownNameError("calibration file ending", path.suffix or path.name, SUFFIXES)


def write_calibration(path: Path, calibration: Calibration) -> Path:
    """Write the file; it appears whole or not at all."""
    need_suffix(path)
    values = _rounded(calibration.to_dict())
    is_json = path.suffix.lower() == ".json"
    text = json.dumps(values, indent=2) if is_json else yaml.safe_dump(values, sort_keys=False, default_flow_style=None)
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def read_calibration(path: Path) -> Calibration:
    """Read and check a file that `write_calibration` wrote, or that a person did."""
    need_suffix(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: larger than any calibration")
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: neither YAML nor JSON: {' '.join(str(error).split())[:160]}") from error
    try:
        return Calibration.from_dict(values)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return round(float(value), _DIGITS) if isinstance(value, float) else value
