"""How good a line is, told from the times of what arrived."""

import numpy as np
import pytest

from supple.motion.live.vmc.quality import LineQuality, line_quality


@pytest.mark.parametrize("loss", [0.0, 0.05, 0.25])
@pytest.mark.parametrize("rate", [30.0, 60.0])
def test_rate_and_loss_are_found(rate, loss):
    kept = np.random.default_rng(5).random(int(3.0 * rate)) >= loss
    kept[[0, -1]] = True
    times = 12.0 + np.flatnonzero(kept) / rate
    quality = line_quality(times)
    assert quality.rate == pytest.approx(rate)
    assert quality.loss == pytest.approx(1.0 - kept.mean(), abs=0.01)


def test_only_the_last_seconds_count_and_little_says_nothing():
    old = np.arange(0.0, 5.0, 0.5)
    new = np.arange(10.0, 14.0, 0.1)
    assert line_quality(np.concatenate([old, new])) == LineQuality(pytest.approx(10.0), 0.0)
    assert line_quality(np.array([])) == LineQuality()
    assert line_quality(np.array([1.0])) == LineQuality()
