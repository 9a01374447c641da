"""The studio's server: who may come in, what it hands out, and the socket."""

import json
import time
from concurrent.futures import Future

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from supple.document.document import Document
from supple.document.sources import CharacterSource
from supple.graph.graph import Graph
from supple.skins.registry import skin_named
from supple.studio import messages as say
from supple.studio.engine import Engine
from supple.studio.frames import unpacked
from supple.studio.messages import PROTOCOL
from supple.studio.server.app import application
from supple.studio.server.front import front
from supple.studio.server.guard import Guard
from supple.studio.server.serving import LONGEST
from supple.studio.server.socket import BUSIEST

OURS = "127.0.0.1:8470"
TOKEN = "token-of-the-test"


def whole(app):
    """An application with its page before it."""
    made = Future()
    made.set_result(app)
    return front(made)


@pytest.fixture(scope="module")
def engine():
    made = Engine(Document(CharacterSource("hero", 600), skins=(Graph.of(skin_named("linear")),)))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def client(engine):
    return TestClient(Guard(whole(application(engine)), port=8470, token=TOKEN), base_url=f"http://{OURS}")


@pytest.fixture
def inside(client):
    """A client that has come in by the address of the terminal."""
    answer = client.get("/", params={"token": TOKEN}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    return client


# Who may come in


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": f"http://{OURS}"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"host": "localhost:8470"}, 401),  # a cookie of another name of the machine
        ({"host": "evil.example:8470"}, 421),
        ({"host": "127.0.0.1:9999"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"cookie": "supple-studio-8470=wrong"}, 401),
    ],
)
def test_only_the_page_itself_on_this_machine_is_answered(inside, headers, status):
    if "host" in headers and headers["host"].startswith("localhost"):
        inside.cookies.clear()
    if "cookie" in headers:
        inside.cookies.clear()
    assert inside.get("/mesh/1", headers=headers).status_code == status


def test_without_the_token_nothing_is_answered(client):
    assert client.get("/").status_code == 401
    assert client.get("/?token=wrong", follow_redirects=False).status_code == 401
    assert client.get("/?token=", follow_redirects=False).status_code == 401


def test_the_cookie_is_for_this_port_alone_and_scripts_do_not_see_it(client):
    cookie = client.get("/", params={"token": TOKEN}, follow_redirects=False).headers["set-cookie"]
    assert cookie.startswith("supple-studio-8470=")
    assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}


def test_every_answer_says_what_the_page_may_do(inside):
    for answer in (inside.get("/mesh/1"), inside.get("/nothing.js"), inside.get("/", headers={"host": "evil"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/engine.py", "/engine.py", "/page/index.html", "/mesh/x"]
)
def test_only_the_files_of_the_page_are_handed_out(inside, path):
    assert inside.get(path).status_code in (404, 405)


# The socket


def _socket(client, origin=f"http://{OURS}", protocols=(PROTOCOL,)):
    headers = {} if origin is None else {"origin": origin}
    return client.websocket_connect(f"ws://{OURS}/socket", subprotocols=list(protocols), headers=headers)


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://127.0.0.1:9999", "null"])
def test_other_pages_get_no_socket(inside, origin):
    with pytest.raises(WebSocketDisconnect), _socket(inside, origin):
        pass


def test_without_the_token_there_is_no_socket(client):
    with pytest.raises(WebSocketDisconnect), _socket(client):
        pass


def test_a_page_of_another_version_is_asked_to_reload(inside):
    with _socket(inside, protocols=("supple-studio.0",)) as socket, pytest.raises(WebSocketDisconnect) as closed:
        socket.receive_text()
    assert "reload" in closed.value.reason


def test_the_state_comes_first_then_frames_and_never_more_than_two_undrawn(inside):
    with _socket(inside) as socket:
        state = json.loads(socket.receive_text())
        assert (state["event"], state["character"]) == ("state", "hero")
        frames = []
        while len(frames) < 2:
            message = socket.receive()
            if message.get("bytes"):
                frames.append(unpacked(message["bytes"])[0])
        socket.send_text(json.dumps({"do": "pause", "seq": 5}))
        while json.loads(socket.receive_text())["transport"]["playing"]:  # events pass, frames wait
            pass
        socket.send_text(json.dumps({"do": "drawn", "seq": 6, "frame": frames[-1].frame}))
        head = unpacked(socket.receive_bytes())[0]
        assert head.frame > frames[-1].frame
        assert head.command == 5
        socket.send_text(json.dumps({"do": "play", "seq": 7}))


def test_every_view_has_two_frames_out_and_its_own_acknowledgement(inside, engine):
    engine.tell(say.AddView(1, "linear"))
    try:
        with _socket(inside) as socket:
            heads = []
            while [head.view for head in heads].count(0) < 2 or [head.view for head in heads].count(1) < 2:
                message = socket.receive()
                if message.get("bytes"):
                    heads.append(unpacked(message["bytes"])[0])
            assert len(heads) == 4
            socket.send_text(json.dumps({"do": "drawn", "seq": 6, "frame": heads[-1].frame, "view": 1}))
            while not (message := socket.receive()).get("bytes"):
                pass  # what is told comes between frames
            assert unpacked(message["bytes"])[0].view == 1
    finally:
        engine.tell(say.Undo(2))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"do":"fly","seq":1}', '{"do":"seek","seq":1,"time":NaN}', '{"do":"seek","seq":1,"time":1e99}',
     '{"do":"play","seq":-1}', '{"do":"play","seq":1,"more":2}', '{"do":"hold","seq":1,"hand":"a","vertices":[],'
     '"shares":[],"to":[0,0,0]}'],
)  # fmt: skip
def test_what_is_no_command_is_refused_and_the_socket_stays(inside, text):
    with _socket(inside) as socket:
        socket.receive_text()
        socket.send_text(text)
        while True:
            message = socket.receive()
            if message.get("text") and json.loads(message["text"])["event"] == "refused":
                break
        socket.send_text(json.dumps({"do": "undo", "seq": 9}))


def _until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def test_hands_are_their_windows_own_and_open_when_it_goes_away(inside, engine):
    hold = {"do": "hold", "seq": 1, "hand": "pointer-1", "vertices": [300], "shares": [1.0], "to": [0.0, 1.0, 0.5]}
    player = engine._session.views[0].player
    with _socket(inside) as one:
        with _socket(inside) as other:
            for socket in (one, other):
                socket.send_text(json.dumps(hold))
            _until(lambda: len(player._nodes[-1].pulls) == 2)
        _until(lambda: len(player._nodes[-1].pulls) == 1)
    _until(lambda: not player._nodes[-1].pulls)


def test_what_a_window_holds_in_the_air_falls_when_it_goes_away(inside, engine, monkeypatch):
    told = []
    monkeypatch.setattr(engine, "tell", lambda command, listener=None: told.append(command))
    with _socket(inside) as socket:
        for name in ("Ball 1", "Ball 2", "Ball 3"):
            socket.send_text(json.dumps({"do": "move-thing", "seq": 1, "name": name, "at": [0.0, 1.0, 0.5]}))
        thrown = {"do": "move-thing", "seq": 2, "name": "Ball 2", "at": [0.0, 1.0, 0.5], "velocity": [1.0, 0.0, 0.0]}
        socket.send_text(json.dumps(thrown))
        socket.send_text(json.dumps({"do": "remove-thing", "seq": 3, "name": "Ball 3"}))
        _until(lambda: len(told) == 5)
    _until(lambda: len(told) == 6)
    assert told[-1] == say.MoveThing(0, "Ball 1", (0.0, 1.0, 0.5), (0.0, 0.0, 0.0))


_LET_GO = json.dumps({"do": "let-go", "seq": 1, "hand": "pointer-1"})


@pytest.mark.parametrize("too_much", [[_LET_GO] * (8 * BUSIEST), ["x" * (LONGEST + 1)]])
def test_a_window_that_says_too_much_is_closed_with_a_reason(inside, too_much):
    with _socket(inside) as socket:
        socket.receive_text()
        for text in too_much:
            socket.send_text(text)
        closing = next(found for found in iter(socket.receive, None) if found["type"] == "websocket.close")
        assert "Too much" in closing["reason"]
    with _socket(inside) as socket:  # all goes on for others
        assert json.loads(socket.receive_text())["event"] == "state"


def test_four_windows_are_enough(inside):
    with _socket(inside) as a, _socket(inside) as b, _socket(inside) as c, _socket(inside) as d:
        for one in (a, b, c, d):
            one.receive_text()
        with _socket(inside, protocols=()) as fifth, pytest.raises(WebSocketDisconnect) as closed:
            fifth.receive_text()
        assert "4 windows" in closed.value.reason


def test_what_a_page_measures_is_taken_only_where_it_was_asked_for(inside, engine, tmp_path):
    ours = {"origin": f"http://{OURS}"}
    assert inside.post("/measured", content="{}", headers=ours).status_code in (404, 405)
    file = tmp_path / "measured.json"
    asked = TestClient(Guard(application(engine, file), port=8470, token=TOKEN), base_url=f"http://{OURS}")
    assert asked.post("/measured", content="{}", headers=ours).status_code == 401
    asked.get("/", params={"token": TOKEN}, follow_redirects=False)
    assert asked.post("/measured", content="{}", headers={"origin": "http://evil.example"}).status_code == 403
    assert not file.exists()
    assert asked.post("/measured", content='{"a": 1}', headers=ours).status_code == 204
    assert json.loads(file.read_text()) == {"a": 1}
