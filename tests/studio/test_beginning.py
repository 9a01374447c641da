"""The page is there before the engine is; all else waits for it, and is told if it never comes."""

import json
from concurrent.futures import Future
from threading import Event

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from supple.errors import InputError
from supple.studio.messages import PROTOCOL
from supple.studio.server.beginning import Beginning
from supple.studio.server.front import PAGE, front


class Idle:
    """Stands for an engine: what it was told."""

    library = None

    def __init__(self):
        self.started = self.stopped = False

    def start(self):
        self.started = True

    def stop(self):
        self.stopped = True


@pytest.mark.parametrize("name", PAGE)
def test_the_page_does_not_wait_for_the_engine(name):
    answer = TestClient(front(Future())).get("/" if name == "index.html" else f"/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(PAGE[name])
    assert len(answer.content) > 100


def test_what_is_asked_of_the_engine_waits_for_it():
    made = Future()
    with TestClient(front(made)) as client:
        client.portal.start_task_soon(_later, made)
        assert client.get("/mesh/1").text == "from behind"


async def _later(made):
    from anyio import sleep

    await sleep(0.1)
    made.set_result(PlainTextResponse("from behind"))


def test_an_engine_that_was_made_is_started_and_stopped():
    engine, failures = Idle(), []
    beginning = Beginning(lambda: engine, None)
    beginning.start(lambda: failures.append(True))
    assert beginning.application.result(20.0) is not None
    assert engine.started
    beginning.end()
    assert engine.stopped
    assert failures == []


def test_what_keeps_it_from_being_made_is_raised_at_the_end_and_nobody_waits():
    failed = Event()

    def make():
        raise InputError("character", "it is broken", "a whole one", "mend it")

    beginning = Beginning(make, None)
    beginning.start(failed.set)
    assert failed.wait(20.0)
    told = Event()
    client = TestClient(front(beginning.application, told=told.set))
    assert client.get("/files").status_code == 503
    assert not told.is_set()
    with client.websocket_connect("/socket", subprotocols=[PROTOCOL]) as socket:
        said = json.loads(socket.receive_text())
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert "terminal says why" in closed.value.reason
    assert (said["event"], said["where"], said["given"]) == ("refused", "character", "it is broken")
    assert (said["needed"], said["advice"]) == ("a whole one", "mend it")
    assert told.is_set()
    with pytest.raises(InputError, match="it is broken"):
        beginning.end()
