"""The parts of the door for other machines: its address, its certificate and its code."""

from __future__ import annotations

import builtins
import socket
import ssl
from datetime import UTC, datetime, timedelta

import pytest

from supple.errors import InputError, UnfinishedError
from supple.studio.server.address import Address, checked_host, listen
from supple.studio.server.certificate import certificate_for
from supple.studio.server.entry_code import EntryCode

# Addresses


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ("192.168.1.20", "192.168.1.20"),
        ("::1", "::1"),
        ("FE80:0:0::1", "fe80::1"),
        ("Studio.local", "studio.local"),
        ("my-machine", "my-machine"),
    ],
)
def test_an_address_or_a_name_is_understood(given, understood):
    assert checked_host(given) == understood


NO_ADDRESSES = ("0.0.0.0", "::", "224.0.0.1", "fe80::1%eth0", "", "a b", "-a", "a..b", "http://a", "a:8470", "x" * 300)


@pytest.mark.parametrize("given", NO_ADDRESSES)
def test_what_is_not_one_address_is_refused(given):
    with pytest.raises(InputError, match="--host"):
        checked_host(given)


def test_an_address_of_another_machine_and_a_name_of_none_are_refused():
    for host in ("192.0.2.1", "nobody.invalid"):
        with pytest.raises(InputError, match="no address of this machine"):
            listen(0, host)


def test_a_port_that_is_taken_or_none_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="use --port 0"):
            listen(taken.getsockname()[1])
    with pytest.raises(InputError, match="0 to 65535"):
        listen(65536)


def test_without_a_host_it_is_this_machine_by_http():
    listening, address = listen(0)
    with listening:
        assert listening.getsockname()[0] == "127.0.0.1"
    assert (address.secure, address.url) == (False, f"http://127.0.0.1:{address.port}")
    assert address.hosts == (f"127.0.0.1:{address.port}", f"localhost:{address.port}")


@pytest.mark.parametrize(
    ("host", "port", "hosts"),
    [
        ("192.168.1.20", 8470, ("192.168.1.20:8470",)),
        ("192.168.1.20", 443, ("192.168.1.20:443", "192.168.1.20")),
        ("::1", 8470, ("[::1]:8470",)),
    ],
)
def test_browsers_may_call_it_as_they_write_it(host, port, hosts):
    assert Address(host, port, secure=True).hosts == hosts


# Certificates


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "studio.local"])
def test_a_certificate_is_for_its_address_and_its_key_is_private(kept, host):
    made = certificate_for(host)
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700
    assert len(made.fingerprint.split(":")) == 32
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(made.path)
    client = ssl.create_default_context(cafile=str(made.path))
    assert _shake(server, client, host) is None
    assert isinstance(_shake(server, client, "192.0.2.9"), ssl.SSLCertVerificationError)


def _shake(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> Exception | None:
    """What a client says against a server that it calls by a name."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    one = client.wrap_bio(to_client, to_server, server_hostname=name)
    other = server.wrap_bio(to_server, to_client, server_side=True)
    done = False
    for _ in range(6):
        for end in (one, other):
            try:
                end.do_handshake()
                done |= end is one
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLCertVerificationError as refused:
                return refused
    assert done
    return None


def test_it_is_kept_and_made_anew_only_when_it_must_be(kept):
    now = datetime.now(UTC)
    first = certificate_for("127.0.0.1", now=now)
    assert certificate_for("127.0.0.1", now=now + timedelta(days=300)) == first
    assert certificate_for("127.0.0.2", now=now).path != first.path
    renewed = certificate_for("127.0.0.1", now=now + timedelta(days=340))
    assert renewed.fingerprint != first.fingerprint
    renewed.path.chmod(0o644)  # others may have read its key
    again = certificate_for("127.0.0.1", now=now + timedelta(days=340))
    assert again.fingerprint != renewed.fingerprint
    assert again.path.stat().st_mode & 0o777 == 0o600
    again.path.write_text("half a certific")
    again.path.chmod(0o600)
    assert len(certificate_for("127.0.0.1", now=now).fingerprint.split(":")) == 32
    assert len(list(first.path.parent.iterdir())) == 2  # nothing half-written is left


def test_without_the_package_it_says_how_to_get_it(kept, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnfinishedError, match="studio-lan"):
        certificate_for("127.0.0.1")


# Codes


def _wrong(code: EntryCode) -> str:
    return f"{(int(code.digits) + 1) % 10**6:06}"


def test_pauses_double_up_to_an_hour_and_a_right_code_forgives():
    now = 0.0
    shown: list[str] = []
    code = EntryCode(shown.append, clock=lambda: now)
    pauses = []
    for _ in range(9):
        for _ in range(5):
            assert not code.opens(_wrong(code))
        pauses.append(code.waiting)
        assert not code.opens(code.digits)
        now += code.waiting
    assert pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert len(shown) == 9
    assert code.opens(code.digits)
    for _ in range(5):
        code.opens(_wrong(code))
    assert code.waiting == 30


@pytest.mark.parametrize("typed", ["{0}{1}", "{0} {1}", "{0}-{1}", " {0}\u00a0{1} "])
def test_spaces_in_a_code_do_not_matter(typed):
    code = EntryCode(lambda _: None)
    assert code.opens(typed.format(code.digits[:3], code.digits[3:]))


@pytest.mark.parametrize("typed", ["", "0", "１２３４５６", "{0}0", "0{0}", "\x00", "x" * 10_000])
def test_what_is_no_code_opens_nothing(typed):
    code = EntryCode(lambda _: None)
    assert not code.opens(typed.format(code.digits))
