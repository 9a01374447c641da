"""Who may come in, tried through real sockets: on this machine by http, from others by https and a code."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import threading
import time
from dataclasses import dataclass

import pytest
from test_server import whole
from websockets.sync.client import connect

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio.engine import Engine
from supple.studio.messages import PROTOCOL
from supple.studio.server.address import Address, listen
from supple.studio.server.app import application
from supple.studio.server.certificate import certificate_for
from supple.studio.server.entry_code import EntryCode
from supple.studio.server.guard import Guard
from supple.studio.server.serving import web_server

TOKEN = "token-of-the-test"


@dataclass
class Served:
    """A studio that is being served, and what a client needs to reach it."""

    address: Address
    context: ssl.SSLContext | None
    code: EntryCode | None
    shown: list[str]

    @property
    def cookie(self) -> str:
        return f"supple-studio-{self.address.port}={TOKEN}"

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None):
        """The status, the headers and the body of one answer."""
        host, port = self.address.host, self.address.port
        if self.context is not None:
            line = http.client.HTTPSConnection(host, port, context=self.context, timeout=20)
        else:
            line = http.client.HTTPConnection(host, port, timeout=20)
        line.putrequest(method, path, skip_host=True)
        for name, value in ({"Host": self.address.hosts[0]} | headers).items():
            if value:
                line.putheader(name, value)
        if body is not None:
            line.putheader("Content-Length", str(len(body)))
        line.endheaders(body)
        answer = line.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        line.close()
        return found

    def type_code(self, digits: str, **headers: str):
        body = f"code={digits}".encode()
        form = {"Origin": self.address.url, "Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", "/code", form | headers, body)

    def knock(self, **headers: str) -> int:
        """The status with which a socket is opened (101) or refused."""
        key = {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "c3VwcGxlIGlzIHNvZnQuLg=="}
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Protocol": PROTOCOL}
        return self.ask("GET", "/socket", upgrade | key | headers)[0]

    def socket(self):
        """A socket as the page has it."""
        url = self.address.url.replace("http", "ws", 1) + "/socket"
        headers = {"Cookie": self.cookie}
        ours = self.address.url
        return connect(url, origin=ours, additional_headers=headers, subprotocols=[PROTOCOL], ssl=self.context)


@pytest.fixture(scope="module")
def engine():
    made = Engine(Document(CharacterSource(vertices=600), skins=(Graph.of(skin_named("linear")),)))
    made.start()
    yield made
    made.stop()


@pytest.fixture(params=["this machine", "other machines"])
def served(request, engine, tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    listening, address = listen(0, "127.0.0.1" if request.param == "other machines" else None)
    certificate = certificate_for(address.host) if address.secure else None
    shown: list[str] = []
    code = EntryCode(shown.append) if address.secure else None
    guard = Guard(
        whole(application(engine)),
        port=address.port,
        token=TOKEN,
        hosts=address.hosts,
        secure=address.secure,
        code=code,
    )
    server = web_server(guard, certificate)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    context = None if certificate is None else ssl.create_default_context(cafile=str(certificate.path))
    yield Served(address, context, code, shown)
    server.should_exit = True
    thread.join()


ORIGIN, OTHER_SCHEME = "<its own>", "<its own by the other scheme>"
EVIL = ("http://evil.example", "https://evil.example", "http://127.0.0.1:9", "https://127.0.0.1:9", "null")
EVIL += (OTHER_SCHEME,)
TABLE = [
    ("GET", {}, 200),
    ("GET", {"Origin": ORIGIN}, 200),
    ("GET", {"Sec-Fetch-Site": "none"}, 200),
    ("GET", {"Sec-Fetch-Site": "same-origin"}, 200),
    ("GET", {"Sec-Fetch-Site": "same-site"}, 403),
    ("GET", {"Sec-Fetch-Site": "cross-site"}, 403),
    *(("GET", {"Origin": origin}, 403) for origin in EVIL),
    *(("GET", {"Host": host}, 421) for host in ("evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:9")),
    ("GET", {"Host": ""}, 400),  # by the server itself
    ("GET", {"Cookie": ""}, 401),
    ("GET", {"Cookie": "supple-studio-{port}=wrong"}, 401),
    ("GET", {"Cookie": "supple-studio-1={token}"}, 401),
    ("POST", {"Origin": ORIGIN}, 405),  # it came in, and nothing takes it there
    ("POST", {}, 403),
    ("PUT", {}, 403),
    *(("POST", {"Origin": origin}, 403) for origin in EVIL),
    ("POST", {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"}, 403),
    ("POST", {"Origin": ORIGIN, "Cookie": ""}, 401),
    ("POST", {"Origin": ORIGIN, "Host": "evil.example"}, 421),
]


def _filled(value: str, served: Served) -> str:
    ours = served.address.url
    other = ours.replace("https://", "http://") if served.address.secure else ours.replace("http://", "https://")
    named = {ORIGIN: ours, OTHER_SCHEME: other}
    return named.get(value, value).replace("{port}", str(served.address.port)).replace("{token}", TOKEN)


def test_every_cell_of_the_table(served):
    for method, given, status in TABLE:
        headers = {"Cookie": served.cookie} | {name: _filled(value, served) for name, value in given.items()}
        found, answered, _ = served.ask(method, "/mesh/1", headers, b"" if method != "GET" else None)
        assert (found, method, given) == (status, method, given)
        if status != 400:
            assert "default-src 'none'" in answered["content-security-policy"], (method, given)
            assert answered["cache-control"] == "no-store"


def test_a_socket_opens_for_the_page_alone(served):
    with served.socket() as socket:
        assert json.loads(socket.recv())["event"] == "state"
    ours, cookie = served.address.url, served.cookie
    for origin in ("", *(_filled(origin, served) for origin in EVIL)):
        assert (served.knock(Cookie=cookie, Origin=origin), origin) == (403, origin)
    for other in ("", f"supple-studio-{served.address.port}=wrong"):
        assert (served.knock(Cookie=other, Origin=ours), other) == (403, other)
    assert served.knock(Cookie=cookie, Origin=ours, Host="evil.example") == 403


def test_the_token_of_the_address_becomes_a_cookie(served):
    status, headers, _ = served.ask("GET", f"/?token={TOKEN}", {"Sec-Fetch-Site": "cross-site"})
    assert (status, headers["location"]) == (303, "/")
    parts = {part.strip() for part in headers["set-cookie"].split(";")}
    assert {served.cookie, "HttpOnly", "SameSite=Strict", "Path=/"} <= parts
    assert ("Secure" in parts) is served.address.secure
    assert served.ask("GET", "/", {"Cookie": served.cookie})[0] == 200
    for wrong in ("/?token=wrong", "/?token=", f"/mesh/1?token={TOKEN[:-1]}"):
        assert served.ask("GET", wrong, {})[0] == 401


def test_only_where_others_may_come_is_there_a_page_for_the_code(served):
    status, headers, body = served.ask("GET", "/", {})
    assert status == 401
    assert (b"<form" in body) is served.address.secure
    if served.address.secure:
        assert "form-action 'self'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "same-origin"  # else a form says that its origin is null
        assert served.ask("GET", "/studio.js", {})[2] == b"Open the address that the terminal shows."
    else:
        assert served.type_code("000000")[0] == 401
        assert served.ask("POST", "/code", {}, b"code=000000")[0] == 403


@pytest.mark.parametrize("served", ["other machines"], indirect=True)
def test_the_code_lets_one_device_in_and_then_there_is_another(served):
    assert served.code is not None
    first = served.code.digits
    assert re.fullmatch(r"\d{6}", first)
    status, headers, _ = served.type_code(f"{first[:3]}+{first[3:]}")
    assert (status, headers["location"]) == (303, "/")
    assert "Secure" in headers["set-cookie"]
    assert served.shown == [served.code.digits]
    assert served.code.digits != first
    status, _, body = served.type_code(first)
    assert status == 401
    assert b"not the code" in body
    assert served.type_code(served.code.digits)[0] == 303  # another device


@pytest.mark.parametrize("served", ["other machines"], indirect=True)
def test_after_five_wrong_codes_there_is_another_and_a_pause(served):
    assert served.code is not None
    right = served.code.digits
    wrong = f"{(int(right) + 1) % 10**6:06}"
    assert [served.type_code(wrong)[0] for _ in range(4)] == [401] * 4
    assert served.shown == []
    status, _, body = served.type_code(wrong)
    assert status == 429
    assert b"Wait 30 s" in body
    assert served.shown == [served.code.digits]
    assert served.type_code(served.code.digits)[0] == 429  # not even the right one
    assert served.ask("GET", "/", {"Cookie": served.cookie})[0] == 200  # who is in stays in


@pytest.mark.parametrize("served", ["other machines"], indirect=True)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_no_other_page_can_type_the_code(served, headers, status):
    assert served.code is not None
    assert served.type_code(served.code.digits, **headers)[0] == status
    assert served.shown == []


@pytest.mark.parametrize("served", ["other machines"], indirect=True)
def test_a_form_that_is_too_long_is_no_code(served):
    assert served.code is not None
    assert served.type_code(served.code.digits + " " * 300)[0] == 401


@pytest.mark.parametrize("served", ["other machines"], indirect=True)
def test_without_tls_nothing_is_answered(served):
    line = http.client.HTTPConnection(served.address.host, served.address.port, timeout=5)
    line.request("GET", "/", headers={"Host": served.address.hosts[0]})
    with pytest.raises((http.client.HTTPException, OSError)):
        line.getresponse()
    line.close()
