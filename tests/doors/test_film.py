"""Films and pictures of bakes, and the commands that make them."""

import json

import numpy as np
import pytest

import supple
from conftest import make_tube
from supple import LinearBlend, Motion, Pose
from supple.cli.main import main
from supple.errors import InputError, UnfinishedError
from supple.render.bakes import BakeRenderer, View, follows_root, framing, root_path
from supple.render.film import Film

pytest.importorskip("pyvista")
pytest.importorskip("imageio_ffmpeg")


def shades(count, size=(40, 31)):
    """Pictures that get brighter one by one."""
    return [np.full((size[1], size[0], 3), 20 + 10 * number, dtype=np.uint8) for number in range(count)]


def write(path, pictures):
    with Film(path, fps=5.0) as film:
        for image in pictures:
            film.add(image)


def read_film(path):
    import imageio_ffmpeg

    reader = imageio_ffmpeg.read_frames(str(path))
    about = next(reader)
    wide, high = about["size"]
    return about, [np.frombuffer(frame, dtype=np.uint8).reshape(high, wide, 3) for frame in reader]


def test_an_mp4_holds_the_pictures_in_order(tmp_path):
    with Film(tmp_path / "a.mp4", fps=25.0) as film:
        for image in shades(12):
            film.add(image)
    about, frames = read_film(tmp_path / "a.mp4")
    assert about["fps"] == 25.0
    assert len(frames) == 12
    assert about["size"] == (40, 32)  # an odd side gains a line
    means = [frame.mean() for frame in frames]
    assert np.allclose(means, [20 + 10 * n for n in range(12)], atol=4.0)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_animations_hold_the_pictures_in_order(tmp_path, suffix):
    from PIL import Image

    path = tmp_path / f"a{suffix}"
    with Film(path, fps=20.0) as film:
        for image in shades(6):
            film.add(image)
    animation = Image.open(path)
    assert animation.n_frames == 6
    means = []
    for number in range(6):
        animation.seek(number)
        means.append(np.asarray(animation.convert("RGB")).mean())
    assert np.allclose(means, [20 + 10 * n for n in range(6)], atol=4.0)
    assert animation.info["loop"] == 0


def test_films_refuse_what_makes_no_sense(tmp_path):
    with pytest.raises(InputError, match="films are"):
        Film(tmp_path / "a.avi", fps=25.0)
    with pytest.raises(InputError, match="rate above zero"):
        Film(tmp_path / "a.mp4", fps=0.0)
    with pytest.raises(InputError, match="no picture"), Film(tmp_path / "a.gif", fps=5.0):
        pass
    with pytest.raises(InputError, match="the first had"):
        write(tmp_path / "a.mp4", [*shades(1), np.zeros((10, 10, 3), dtype=np.uint8)])
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_breaks_off_leaves_nothing(tmp_path):
    def breaking():
        yield shades(1)[0]
        raise KeyError("broken")

    for suffix in (".mp4", ".gif"):
        with pytest.raises(KeyError, match="broken"):
            write(tmp_path / f"a{suffix}", breaking())
    assert list(tmp_path.iterdir()) == []


def test_without_ffmpeg_there_is_advice(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(UnfinishedError, match=r"supple\[film\].*\.gif"):
        write(tmp_path / "a.mp4", shades(1))
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def travelling(tmp_path_factory):
    """A tube that goes ten metres along z."""
    tube = make_tube(rings=9, sectors=8)
    tube = tube.replace(maps={"height": tube.points[:, 1]})
    motion = Motion.from_poses(
        tube.skeleton,
        lambda t: Pose.from_rotations(tube.skeleton, {}, move=[0.0, 0.0, 10.0 * t]),
        seconds=1.0,
        fps=12.0,
    )
    return supple.bake(tube, motion, LinearBlend(), path=tmp_path_factory.mktemp("bake") / "tube.supple")


def test_the_camera_walks_along_with_who_goes_far(travelling):
    assert np.allclose(root_path(travelling)[-1], [0.0, 0.0, 10.0])
    assert follows_root(travelling, View())
    assert not follows_root(travelling, View(camera="whole"))
    view = View(size=(80, 90), camera="follow", ground=False)
    with BakeRenderer(travelling, view) as renderer:
        first, last = renderer.draw(0), renderer.draw(12)
    assert np.abs(first.astype(int) - last.astype(int)).max() <= 3  # the same shape in the same place


def test_a_standing_camera_sees_all_of_it(travelling):
    camera = framing([travelling], View(camera="whole", size=(200, 100)))
    seen = camera.project(travelling.points.reshape(-1, 3), size=(200, 100))
    assert seen.min() >= 0.0
    assert seen[:, 0].max() <= 200.0
    assert seen[:, 1].max() <= 100.0


def test_maps_and_bones_change_the_picture(travelling):
    plain = View(size=(80, 90))
    with BakeRenderer(travelling, plain) as renderer:
        clay = renderer.draw(3)
    with BakeRenderer(travelling, plain, values=travelling.arrays["map height"]) as renderer:
        measure_vertices = renderer.draw(3)
    with BakeRenderer(travelling, View(size=(80, 90), skeleton=True)) as renderer:
        boned = renderer.draw(3)
    assert np.abs(clay.astype(int) - measure_vertices).max() > 30
    assert np.abs(clay.astype(int) - boned).max() > 30


def run(words, capsys):
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(scope="module")
def baked(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "tube.supple"
    words = ["bake", "tube", "--vertices", "600", "--motion", "bend", "--fps", "8", "-o", str(path), "--json"]
    assert main([*words, "--skin", "delta-mush", "--iterations", "3"]) == 0
    return path


def test_bake_says_what_it_wrote(baked, capsys):
    capsys.readouterr()
    words = ["bake", "tube", "--vertices", "600", "--motion", "bend", "--fps", "8", "-o", str(baked), "--json"]
    code, out, _ = run([*words, "--skin", "delta-mush", "--iterations", "3"], capsys)
    data = json.loads(out)
    assert code == 0
    assert data["frames"] == 17
    assert data["frames_made_now"] == 0  # it was there
    assert data["fell_back"] == []
    assert data["graph"]["stages"][1]["settings"]["iterations"] == 3


def test_bake_refuses_what_was_baked_from_something_else(baked, capsys):
    words = ["bake", "tube", "--vertices", "600", "--motion", "bend", "--fps", "8", "-o", str(baked)]
    code, _, err = run([*words, "--skin", "linear"], capsys)
    assert code == 2
    assert "the skin or its settings differs" in err


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--frame", "3"], "a.png"),
        (["--sheet", "3"], "b.png"),
        (["--sheet", "17"], "c.jpg"),
        ([], "d.mp4"),
        (["--fps", "4", "--skeleton"], "e.gif"),
        (["--color", "flesh", "--camera", "whole", "--no-ground"], "f.png"),
        (["--color", "stretch"], "g.png"),
    ],
)
def test_render_makes_pictures_sheets_and_films(baked, words, name, tmp_path, capsys):
    path = tmp_path / name
    code, _, err = run(["render", str(baked), "-o", str(path), "--size", "64x72", *words], capsys)
    assert code == 0, err
    assert path.stat().st_size > 200
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--frame", "99"], "there are 0 to 16"),
        (["--frame", "-1"], "there are 0 to 16"),
        (["--sheet", "0"], "range is 1 to 400"),
        (["--color", "fat"], "clay, flesh"),
        (["--size", "big"], "width x height"),
    ],
)
def test_render_refuses_bad_options(baked, words, message, tmp_path, capsys):
    code, _, err = run(["render", str(baked), "-o", str(tmp_path / "a.png"), *words], capsys)
    assert code == 2
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_render_refuses_what_is_no_bake(tmp_path, capsys):
    (tmp_path / "x.supple").write_bytes(b"not a cache")
    assert run(["render", str(tmp_path / "x.supple"), "-o", str(tmp_path / "a.png")], capsys)[0] == 2
    assert run(["render", str(tmp_path / "none.supple"), "-o", str(tmp_path / "a.png")], capsys)[0] == 2
