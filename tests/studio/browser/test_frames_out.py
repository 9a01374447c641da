"""Slow, sleeping and several windows: never more than two frames are out, and the engine goes on for the others."""

# While `asleep` there are no pictures, as in a tab that nobody sees, but for one with every call of `picture`.
DROWSY = """
globalThis.asleep = false;
const draw = globalThis.requestAnimationFrame.bind(globalThis);
const waiting = [];
globalThis.requestAnimationFrame = (act) => (asleep ? waiting.push(act) : draw(act));
globalThis.picture = () => { for (const act of waiting.splice(0)) draw(act); };
"""
TWO = 2


def when(window, expression, argument=None):
    """Wait until an expression is true, also in a window that draws nothing."""
    window.page.wait_for_function(f"it => {expression}", arg=argument, polling=20)


def test_a_slow_window_has_two_frames_out_and_skips_what_it_cannot_show(server, open_window):
    """Between two of its pictures the quick one shows twenty frames and more."""
    quick, slow = open_window(server), open_window(server, script=DROWSY)
    slow.js("(() => { asleep = true; })()")
    made = []
    for _ in range(8):
        when(slow, "watched.arrived - watched.drawn === 2")
        made.append(quick.frames(20).number)  # which is not held up
        drawn = slow.js("watched.drawn")
        slow.js("picture()")
        when(slow, "watched.drawn === it", drawn + TWO)  # all in between was never sent
        shown = slow.js("supple.session.shownFrame.value")
        assert len(made) < 2 or shown >= made[-2]  # what there was at the picture before, or newer
        assert shown < made[-1]
    assert slow.js("watched.mostOut") <= TWO
    assert quick.js("watched.mostOut") <= TWO


def test_a_sleeping_window_is_sent_nothing_and_is_up_to_date_when_it_wakes(server, open_window):
    sleeping, awake = open_window(server, script=DROWSY), open_window(server)
    sleeping.js("(() => { asleep = true; })()")
    awake.frames(30)
    arrived = sleeping.js("watched.arrived")
    shown = awake.frames(60)
    assert sleeping.js("watched.arrived") == arrived
    assert sleeping.js("watched.mostOut") <= TWO
    sleeping.js("(() => { asleep = false; picture(); })()")
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
    fifth.until("!document.querySelector('.notices').innerText.includes('windows')")


def test_what_one_window_does_every_window_shows(server, open_window):
    one, other = open_window(server), open_window(server)
    one.afresh()
    one.pause()
    other.until_state("!state.transport.playing")
    other.ask("choose-motion", motion="kick")
    state = one.until_state("state.transport.motion === 'kick' && preparing === null && state.saving.saved")
    assert other.until_state("state.revision >= it", state["revision"]) == one.state()
