"""The engine dies while flesh is held: the page says so, keeps its picture, and finds the next one."""

import os
import signal
import time


def test_the_page_says_that_the_engine_is_gone_and_finds_it_again(serve, open_window):
    server = serve("--skin", "linear")
    studio = open_window(server)
    studio.drag("belly", right=20, up=0)
    picture = studio.frame()
    killed = time.monotonic()
    server.kill()
    studio.until("document.querySelector('.notices').innerText.trim() !== ''")
    assert time.monotonic() - killed < 2.0
    assert "The engine is out of reach" in studio.notices()
    assert studio.frame().number >= picture.number  # the last picture stays
    studio.page.mouse.up()
    studio.until("supple.session.link.value.reason.includes('open the address')")
    assert "If it was started anew, open the address that it printed." in studio.notices()
    studio.errors.clear()  # the browser's own words about a socket that was refused
    server.start_again()
    beside = studio.page.context.new_page()  # the person opens the new address
    beside.goto(server.address)
    beside.close()
    studio.until("supple.session.link.value.open")
    studio.until("supple.stage.skin?.frame?.fleshTime < it", picture.flesh_time)  # of the new engine
    studio.until_bound()
    studio.until("document.querySelector('.notices').innerText.trim() === ''")
    studio.frames(5)
    studio.drag("belly", right=10, up=0)
    studio.let_go()
    studio.errors.clear()


def test_the_page_says_that_no_frame_comes_and_goes_on_when_one_does(serve, open_window):
    server = serve("--skin", "linear")
    studio = open_window(server)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        studio.page.get_by_text("No frame has come for a while").wait_for()
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    studio.until("document.querySelector('.notices').innerText.trim() === ''")
    studio.frames(5)
