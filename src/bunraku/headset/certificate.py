"""The key and the certificate by which a headset on the network reaches this machine: made here, never shipped."""

from __future__ import annotations

import datetime
import ipaddress
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bunraku.errors import InputError, MissingPackageError, OutputError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate

_VALID = datetime.timedelta(days=397)
"""browsers refuse longer ones"""
_RENEW = datetime.timedelta(days=7)


@dataclass(frozen=True)
class Identity:
    """What TLS needs."""

    certificate: Path
    key: Path
    fingerprint: str
    """SHA-256, as browsers show it"""


def config_folder() -> Path:
    """Where this user's settings are."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "bunraku"


def identity_for(host: str, folder: Path | None = None) -> Identity:
    """Of this address: the one on disk while it is valid, else a new certificate of the same key."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives.hashes import SHA256
    except ImportError:
        raise MissingPackageError("cryptography", "devices", "a headset on the network") from None
    folder = folder or config_folder()
    now = datetime.datetime.now(datetime.UTC)
    place = folder / f"headset-{re.sub(r'[^0-9A-Za-z.-]', '_', host)}.crt"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = _key(folder / "headset.key")
        found = x509.load_pem_x509_certificate(place.read_bytes()) if place.exists() else None
        stale = found is None or found.not_valid_after_utc - _RENEW < now or found.public_key() != key.public_key()
        if found is None or stale:
            found = _certificate(host, key, now)
            _write(place, _pem(found), renew=True)
    except ValueError:
        raise InputError(
            f"{folder}: its headset.key or {place.name} is damaged; delete it and a new one is made"
        ) from None
    except OSError as error:
        raise OutputError(f"cannot keep the headset's key in {folder}: {error.strerror or error}") from None
    return Identity(place, folder / "headset.key", found.fingerprint(SHA256()).hex(":").upper())


def _key(path: Path) -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    if path.exists():
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise InputError(f"{path} can be read by others: chmod 600 it, or delete it and a new one is made")
        key = serialization.load_pem_private_key(path.read_bytes(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError("a key of another kind")
        return key
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(path, text)
    return key


def _certificate(host: str, key: EllipticCurvePrivateKey, now: datetime.datetime) -> Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256

    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Bunraku")])
    try:
        alternative: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        alternative = x509.DNSName(host)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, SHA256())
    )


def _pem(certificate: Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _write(path: Path, data: bytes, *, renew: bool = False) -> None:
    """A file that only this user can read, from its first byte on."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if renew else os.O_EXCL) | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
