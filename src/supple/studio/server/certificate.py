"""A certificate that this machine signs itself, for one address, kept so that a browser is asked about it only once."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import os
import ssl
import stat
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from supple.errors import UnfinishedError
from supple.kept import folder as cache_folder

if TYPE_CHECKING:
    from cryptography import x509

LASTS = timedelta(days=365)
RENEWED = timedelta(days=30)  # before it ends
_EARLIER = timedelta(days=1)  # it begins in the past: clocks of other machines differ


@dataclass(frozen=True)
class Certificate:
    """A file with a certificate and its key, and the fingerprint (SHA-256) by which a person can know it."""

    path: Path
    fingerprint: str


def certificate_for(host: str, *, now: datetime | None = None) -> Certificate:
    """The certificate for an address or name of this machine: the one that is kept, or a new one.

    A new one is made where there is none, where it ends within a month, and where others could have read its key.
    """
    moment = datetime.now(UTC) if now is None else now
    path = cache_folder() / "studio" / f"{hashlib.sha256(host.encode()).hexdigest()[:16]}.pem"
    if not _is_good(path, moment):
        _write_private(path, _made(host, moment))
    return Certificate(path, _fingerprint(path))


def _is_good(path: Path, moment: datetime) -> bool:
    with contextlib.suppress(OSError, ValueError):
        about = path.stat()
        private = not hasattr(os, "getuid") or (
            about.st_uid == os.getuid() and not stat.S_IMODE(about.st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
        )
        return private and moment < _loaded(path).not_valid_after_utc - RENEWED
    return False


def _loaded(path: Path) -> x509.Certificate:
    try:
        from cryptography.x509 import load_pem_x509_certificate
    except ImportError:
        raise _missing() from None
    return load_pem_x509_certificate(path.read_bytes())


def _made(host: str, moment: datetime) -> bytes:
    """A new key and its certificate, in one text."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
    except ImportError:
        raise _missing() from None
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Supple studio")])
    signs = x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=False, crl_sign=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - _EARLIER)
        .not_valid_after(moment + LASTS)
        .add_extension(x509.SubjectAlternativeName([_general_name(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(signs, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return certificate.public_bytes(pem) + secret


def _general_name(host: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, waiting = tempfile.mkstemp(dir=path.parent)  # its rights are 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(waiting, path)
    except BaseException:
        Path(waiting).unlink(missing_ok=True)
        raise


def _fingerprint(path: Path) -> str:
    first = path.read_text(encoding="ascii").partition("-----END CERTIFICATE-----")
    der = ssl.PEM_cert_to_DER_cert(first[0] + first[1])
    return hashlib.sha256(der).digest().hex(":").upper()


def _missing() -> UnfinishedError:
    return UnfinishedError(
        "supple studio",
        "--host needs a certificate, and the package cryptography, which makes it, is not installed",
        "other machines may come in only through TLS",
        "pip install 'supple[studio-lan]', or leave --host out",
    )
