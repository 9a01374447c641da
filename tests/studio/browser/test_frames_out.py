"""Slow, sleeping and several windows: never more than two frames are out, and the engine goes on for the others."""

# Pictures no oftener than every 200 ms, and none at all while `asleep`, as in a tab that nobody sees.
SLOW = """
globalThis.asleep = false;
const draw = globalThis.requestAnimationFrame.bind(globalThis);
const later = (act) => setTimeout(() => (asleep ? later(act) : draw(act)), 200);
globalThis.requestAnimationFrame = later;
"""
TWO = 2


def test_a_slow_window_has_two_frames_out_and_skips_what_it_cannot_show(server, open_window):
    quick, slow = open_window(server), open_window(server, script=SLOW)
    quick.watch()
    slow.js("watched.shown = []")
    before = slow.js("[supple.session.shownFrame.value, watched.drawn]")
    slow.until("supple.session.shownFrame.value >= it", before[0] + 60)
    after = slow.js("[supple.session.shownFrame.value, watched.drawn]")
    assert (after[0] - before[0]) > 2 * (after[1] - before[1])  # most were never sent
    assert slow.js("watched.mostOut") <= TWO
    assert quick.js("watched.mostOut") <= TWO
    made = quick.seen()
    assert len(made) > (after[1] - before[1])  # the quick one was not held up


def test_a_sleeping_window_is_sent_nothing_and_is_up_to_date_when_it_wakes(server, open_window):
    sleeping, awake = open_window(server, script=SLOW), open_window(server)
    sleeping.js("(() => { asleep = true; })()")
    awake.frames(30)
    arrived = sleeping.js("watched.arrived")
    shown = awake.frames(60)
    assert sleeping.js("watched.arrived") == arrived
    assert sleeping.js("watched.mostOut") <= TWO
    sleeping.js("(() => { asleep = false; })()")
    sleeping.until("supple.session.shownFrame.value >= it", shown.number)
    assert sleeping.js("watched.mostOut") <= TWO


def test_four_windows_are_enough_and_the_fifth_is_told(server, open_window):
    windows = [open_window(server) for _ in range(4)]
    fifth = open_window(server, ready="session.link")
    fifth.until("supple.session.link.value.reason?.includes('4 windows')")
    fifth.until("document.querySelector('.notices')?.innerText.includes('4 windows are open already')")
    windows[0].frames(10)
    windows[1].page.close()
    fifth.until("supple.stage.skin?.frame")
    fifth.until("document.querySelector('.notices').innerText.trim() === ''")


def test_what_one_window_does_every_window_shows(server, open_window):
    one, other = open_window(server), open_window(server)
    one.afresh()
    one.pause()
    other.until_state("!state.transport.playing")
    other.ask("choose-motion", motion="kick")
    one.until_state("state.transport.motion === 'kick'")
    assert one.state() == other.state()
