"""Ways between keys: curves that are drawn, against the curve itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supple.edits import Edits, Key, Layer, bezier, load_edits, save_edits
from supple.edits.easing import easing_named
from supple.errors import InputError

SHARE = st.floats(0.0, 1.0)
HEIGHT = st.floats(-3.0, 3.0)


@given(SHARE, HEIGHT, SHARE, HEIGHT, st.floats(0.01, 0.99))
def test_a_bezier_is_on_its_curve(x1, y1, x2, y2, s):
    """Where the parameter is s the curve is x across and y up: cubic Bernstein polynomials."""
    across, up = (3 * (1 - s) ** 2 * s * a + 3 * (1 - s) * s**2 * b + s**3 for a, b in ((x1, x2), (y1, y2)))
    ease = easing_named(f"cubic-bezier({x1!r}, {y1!r}, {x2!r}, {y2!r})", "test")
    near = np.array([across - 1e-9, across, across + 1e-9])  # where the curve stands upright all heights are right
    low, _, high = ease(near)
    assert min(low, high) - 1e-3 <= up <= max(low, high) + 1e-3


def test_known_curves():
    t = np.linspace(0.0, 1.0, 21)
    np.testing.assert_allclose(easing_named(bezier(0.25, 0.25, 0.75, 0.75), "test")(t), t, atol=1e-9)
    half = easing_named(bezier(0.42, 0.0, 0.58, 1.0), "test")
    np.testing.assert_allclose(half(t), 1.0 - half(1.0 - t), atol=1e-9)
    assert easing_named(bezier(0.25, 0.1, 0.25, 1.0), "test")(np.array(0.5)) == pytest.approx(0.8024034, abs=1e-6)
    over = easing_named(bezier(0.3, 0.0, 0.3, 1.6), "test")(t)
    assert over.max() > 1.05
    assert (over[0], over[-1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    "name",
    [
        "cubic-bezier(0, 0, 1)",
        "cubic-bezier(0, 0, 1, 1, 1)",
        "cubic-bezier(-0.1, 0, 1, 1)",
        "cubic-bezier(0, 0, 1.1, 1)",
        "cubic-bezier(0, 11, 1, 1)",
        "cubic-bezier(0, nan, 1, 1)",
        "cubic-bezier(nan, 0, 1, 1)",
        "cubic-bezier(a, 0, 1, 1)",
        "cubic-bezier",
    ],
)
def test_what_is_no_curve_is_refused(name):
    with pytest.raises(InputError, match="easing"):
        Key(time=0.0, ease=name)


def test_a_key_goes_along_its_curve_and_is_kept_so(tmp_path):
    ease = bezier(0.1, 0.7, 0.2, 1.2)
    layer = Layer(name="a", keys=(Key(time=1.0, ease=ease), Key(time=3.0)))
    assert Key(time=1.0, ease=ease).ease == "cubic-bezier(0.1, 0.7, 0.2, 1.2)"
    save_edits(Edits(4, layers=(layer,)), tmp_path / "a.edits.json")
    assert load_edits(tmp_path / "a.edits.json").layers[0] == layer
