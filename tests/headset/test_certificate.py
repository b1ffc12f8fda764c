"""The key and certificate of a headset's server."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest

from bunraku.errors import InputError
from bunraku.headset.certificate import identity_for

pytest.importorskip("cryptography")


def test_made_once_and_read_by_nobody_else(tmp_path: Path) -> None:
    """Files are 0600 in a folder that is 0700; a second time they are the same; another address has the same key."""
    folder = tmp_path / "config"
    first, again = identity_for("192.168.1.20", folder), identity_for("192.168.1.20", folder)
    assert first == again
    assert len(first.fingerprint) == 95
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in (first.key, first.certificate):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = first.key.read_bytes()
    other = identity_for("host.local", folder)
    assert other.fingerprint != first.fingerprint
    assert other.key.read_bytes() == key
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(first.certificate, first.key)


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """With what to do."""
    path = identity_for("192.168.1.20", tmp_path).key
    path.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        identity_for("192.168.1.20", tmp_path)


def test_damaged_files_are_told(tmp_path: Path) -> None:
    """Of key and certificate."""
    found = identity_for("192.168.1.20", tmp_path)
    found.certificate.write_text("nothing")
    with pytest.raises(InputError, match="damaged"):
        identity_for("192.168.1.20", tmp_path)
    found.key.write_text("nothing")
    with pytest.raises(InputError, match="damaged"):
        identity_for("192.168.1.20", tmp_path)
