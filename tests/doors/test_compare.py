"""The comparison: winners by hand, the page read back as HTML, the command from end to end, and a real browser."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib.util
import json
import math
import re
import shlex
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from supple import DeltaMush, DualQuaternion, Graph, LinearBlend, motion
from supple.cli.main import main as run
from supple.errors import InputError, UnfinishedError
from supple.measure.report import Row
from supple.report import comparison
from supple.report.chart import BOTTOM, HIGH, LEFT, RIGHT, TOP, WIDE, Chart
from supple.report.comparison import compare
from supple.report.findings import Bundle, Line, Take, bundles_of, lines_of
from supple.report.page import Document, Embedded, page
from supple.report.palette import DARK, LIGHT, color_number, dashes
from supple.report.quantities import sized, texts
from supple.report.side_by_side import FOOT, HEAD, PanelGrid

NAN, INF = math.nan, math.inf
NASTY = "</script><script>alert(1)</script>"
TIMES = np.arange(5) / 30.0


class Reader(HTMLParser):
    """Every element with its attributes and its own text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[int] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}, []))
        if tag not in ("meta", "link", "img", "br"):
            self._open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}, []))

    def handle_endtag(self, tag):
        assert self.elements[self._open[-1]][0] == tag, f"{tag} is closed inside {self.elements[self._open[-1]][0]}"
        self._open.pop()

    def handle_data(self, data):
        if self._open:
            self.elements[self._open[-1]][2].append(data)

    def all(self, tag, **wanted):
        wanted = {key.rstrip("_"): value for key, value in wanted.items()}
        return [
            (attributes, "".join(text))
            for name, attributes, text in self.elements
            if name == tag and all(value in attributes.get(key, "").split() for key, value in wanted.items())
        ]

    def text(self) -> str:
        return " ".join("".join(text) for name, _, text in self.elements if name not in ("script", "style"))


def take(label: str, values: list[float], **more) -> Take:
    rows = (Row("least volume", values[0], "of rest", "near 1"), Row("depth", values[1], "m", "lower"))
    curves = {"volume": (np.linspace(values[0], 1.0, 5), "of rest"), "depth": (np.full(5, values[1]), "m")}
    return Take(label, more.pop("graph", Graph.of(LinearBlend())), rows, curves, **more)


def document(**more) -> Document:
    takes = (take("one", [0.9, 0.02]), take("two", [0.95, 0.03], graph=Graph.of(DeltaMush(iterations=7))))
    given = {"title": "hero, walk", "lead": "Two skins.", "times": TIMES, "takes": takes, **more}
    return Document(**given)


# Numbers and winners


@pytest.mark.parametrize(
    ("better", "values", "won"),
    [
        ("lower", (3.0, 1.0, 2.0), {1}),
        ("higher", (3.0, 1.0, 2.0), {0}),
        ("near 1", (0.98, 1.01, 0.9), {1}),
        ("near 1", (0.98, 1.02, 0.9), {0, 1}),
        ("lower", (1.0, 1.0, 2.0), {0, 1}),
        ("lower", (1.00001, 1.00002, 2.0), {0, 1}),  # they read the same
        ("lower", (5.0, 5.0, 5.0), set()),
        ("lower", (NAN, 2.0, 1.0), {2}),
        ("higher", (NAN, 2.0, NAN), set()),
        ("lower", (NAN, NAN, NAN), set()),
        ("lower", (INF, 2.0, NAN), {1}),
        ("lower", (INF, INF, INF), set()),
        ("lower", (0.0, -0.0, 4.0), {0, 1}),
    ],
)
def test_winners_of_a_row(better, values, won):
    assert Line("x", "", better, values).winners == won


def test_numbers_of_a_row_are_written_alike():
    assert texts([0.98765, 1.0, NAN]) == ["0.988", "1.000", "–"]
    assert texts([12.0, 3.0]) == ["12", "3"]
    assert texts([-0.00001, 812.25]) == ["0.0", "812.2"]
    assert texts([INF, -INF, 1.5]) == ["∞", "−∞", "1.500"]


@pytest.mark.parametrize(
    ("unit", "values", "wanted"),
    [
        ("m", [0.02, NAN], (1e3, "mm")),
        ("s", [3e-5], (1e6, "µs")),
        ("m", [0.3], (1.0, "m")),
        ("m", [0.0], (1.0, "m")),
        ("pairs", [0.01], (1.0, "pairs")),
        ("m", [INF, 0.02], (1e3, "mm")),
    ],
)
def test_units_suit_the_size(unit, values, wanted):
    assert sized(unit, values) == wanted


def test_a_skin_without_a_measure_has_a_gap_in_its_row_and_its_curve():
    poor = Take("poor", Graph.of(LinearBlend()), (Row("other", 1.0, "", "lower"),))
    lines = {line.name: line for line in lines_of([take("one", [0.9, 0.02]), poor])}
    np.testing.assert_equal(lines["least volume"].values, (0.9, NAN))
    np.testing.assert_equal(lines["other"].values, (NAN, 1.0))
    assert lines["depth"].unit == "mm"
    assert lines["depth"].values[0] == pytest.approx(20.0)
    bundle = bundles_of([take("one", [0.9, 0.02]), poor], 5)[0]
    assert np.isfinite(bundle.values[0]).all()
    assert np.isnan(bundle.values[1]).all()
    empty = Take("empty", Graph.of(LinearBlend()), (), {"x": (np.full(5, NAN), "")})
    assert bundles_of([empty], 5) == []


def test_ten_skins_look_different():
    looks = {(color_number(number), dashes(number)) for number in range(20)}
    assert len(looks) == 20
    assert len(LIGHT) == len(DARK) == len(set(LIGHT)) == len(set(DARK))


# Charts


def corners(path: str) -> np.ndarray:
    return np.array([[float(x) for x in pair.split()] for pair in re.findall(r"[ML]([\d.-]+ [\d.-]+)", path)])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1234.5])
def test_curves_lie_where_their_values_are(scale):
    rng = np.random.default_rng(3)
    values = scale * rng.normal(size=(2, 30))
    times = 0.5 + np.arange(30) / 24.0
    chart = Chart(Bundle("x", "", values), times=times, labels=["a", "b"])
    assert chart.low <= values.min()
    assert chart.high >= values.max()
    for attributes, line in zip((a for a, _ in Reader(chart.svg()).all("path")), values, strict=True):
        x, y = corners(attributes["d"]).T
        wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM
        np.testing.assert_allclose(x, LEFT + wide * (times - times[0]) / np.ptp(times), atol=0.06)
        np.testing.assert_allclose(y, TOP + high * (chart.high - line) / (chart.high - chart.low), atol=0.06)


def test_a_gap_breaks_the_curve():
    values = np.array([[1.0, NAN, 2.0, 3.0, INF], [NAN, NAN, NAN, NAN, NAN]])
    chart = Chart(Bundle("x", "m", values), times=TIMES, labels=["a", "b"])
    paths = [attributes["d"] for attributes, _ in Reader(chart.svg()).all("path")]
    assert paths[0].count("M") == 2
    assert paths[0].count("L") == 1
    assert paths[1] == ""
    assert chart.data()["values"] == [[1.0, None, 2.0, 3.0, None], [None] * 5]


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 1e-12, 40000.0])
def test_a_flat_curve_and_a_single_frame_have_axes(value):
    for frames in (1, 5):
        chart = Chart(Bundle("x", "", np.full((1, frames), value)), times=TIMES[:frames], labels=["a"])
        assert chart.low < chart.high
        assert chart.low <= value <= chart.high
        assert "nan" not in chart.svg()


# The page


def test_the_page_holds_one_film_one_chart_per_measure_and_the_table():
    film = Embedded("video/mp4", b"not really a film")
    read = Reader(page(document(film=film)))
    (video, _), *more = read.all("video")
    assert not more
    assert video["src"] == "data:video/mp4;base64," + base64.b64encode(film.content).decode()
    assert {"loop", "controls", "muted", "playsinline"} <= set(video)
    assert read.all("img") == []
    assert len(read.all("svg", class_="chart")) == 2
    assert [attributes["data-skin"] for attributes, _ in read.all("path", class_="curve")] == ["one", "two"] * 2
    assert [text for _, text in read.all("td")] == ["0.9000", "0.9500", "20", "30"]
    assert [text for _, text in read.all("td", class_="winner")] == ["0.9500", "20"]
    data = json.loads(read.all("script", type="application/json")[0][1])
    assert data["times"] == TIMES.tolist()
    assert data["charts"][1]["values"] == [[20.0] * 5, [30.0] * 5]


def test_the_page_says_settings_graph_papers_facts_and_how_it_was_made():
    facts = {"Character": {"Vertices": "1,234"}}
    text = Reader(page(document(facts=facts, made_by="supple compare hero"))).text()
    for part in ("Rounds of smoothing", "Graph of 2 stages", "DeltaMush(iterations=7", "1,234", "supple compare hero"):
        assert part in text
    for skin in (LinearBlend, DualQuaternion, DeltaMush):
        assert skin.papers[0] in text
    timed = document(takes=(take("one", [0.9, 0.02], stage_seconds={"linear": 0.00125}),))
    assert "1.25 ms" in Reader(page(timed)).text()
    fell = document(takes=(take("one", [0.9, 0.02], fell_back=(3, 4)),))
    assert "in 2 frames, where it failed: 3, 4." in Reader(page(fell)).text()
    assert "in 2 frames" not in text


def test_the_page_shows_what_flesh_takes_the_character_for():
    picture = Embedded("image/jpeg", b"not really a picture")
    (image, _), *more = Reader(page(document(film=Embedded("video/mp4", b"x"), anatomy=picture))).all("img")
    assert image["src"] == "data:image/jpeg;base64," + base64.b64encode(picture.content).decode()
    assert "dark" in image["alt"]
    assert more == []


def test_an_animated_picture_or_a_sentence_stand_in_for_the_film():
    (image, _), *more = Reader(page(document(film=Embedded("image/webp", b"x")))).all("img")
    assert image["src"].startswith("data:image/webp;base64,")
    assert not more
    without = Reader(page(document(no_film="render: it is missing.")))
    assert without.all("video") == without.all("img") == []
    assert "There is no film: render: it is missing." in without.text()


def test_all_texts_are_escaped():
    strange = Take(NASTY, Graph.of(LinearBlend()), (Row(NASTY, 1.0, NASTY, "lower"),), {NASTY: (np.arange(5.0), NASTY)})
    plain, odd = (
        page(document(takes=(strange,))),
        document(
            title=NASTY, lead=NASTY, takes=(strange,), no_film=NASTY, facts={NASTY: {NASTY: NASTY}}, made_by=NASTY
        ),
    )
    for text in (plain, page(odd)):
        read = Reader(text)  # which checks that elements close in order
        assert len(read.all("script")) == 2
        (_, data), (_, script) = read.all("script")
        assert "alert" not in script
        assert json.loads(data)["charts"][0]["name"] == NASTY
        assert NASTY in read.text()
        assert not any(name.startswith("on") for _, attributes, _ in read.elements for name in attributes)


def test_nothing_on_the_page_reaches_out():
    text = page(document(film=Embedded("video/mp4", b"x")))
    read = Reader(text)
    links = [
        attributes[name]
        for _, attributes, _ in read.elements
        for name in ("src", "href", "srcset", "poster", "data", "action", "xlink:href")
        if name in attributes
    ]
    assert links
    assert all(link.startswith("data:") for link in links)
    code = "".join(body for tag in ("script", "style") for _, body in read.all(tag))
    assert not re.search(r"https?:|//[a-z]|url\(|@import|fetch\(|XMLHttpRequest|import\(", code.replace("// ", ""))
    assert not any("style" in attributes for _, attributes, _ in read.elements)  # the policy would ignore them


def test_the_policy_allows_this_style_and_this_script_and_nothing_else():
    read = Reader(page(document(film=Embedded("video/mp4", b"x"))))
    (policy,) = [a["content"] for a, _ in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules["default-src"] == ["'none'"]
    assert rules["media-src"] == rules["img-src"] == ["data:"]
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        body = next(text for attributes, text in read.all(tag) if "type" not in attributes)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert rules[rule] == [f"'sha256-{digest}'"]
    assert set(rules) == {"default-src", "media-src", "img-src", "style-src", "script-src", "base-uri", "form-action"}


# The film


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 1, 1), (4, 4, 1), (5, 3, 2), (7, 4, 2), (10, 4, 3)])
def test_panels_hang_side_by_side_as_they_are(count, columns, rows):
    rng = np.random.default_rng(1)
    panels = [rng.integers(0, 256, (40, 100, 3), dtype=np.uint8) for _ in range(count)]
    wall = PanelGrid([f"skin {number}" for number in range(count)], (100, 40))
    start, end = wall.compose(panels, time=0.0, fraction=0.0), wall.compose(panels, time=1.5, fraction=1.0)
    assert start.shape == end.shape == (rows * (HEAD + 40) + FOOT, columns * 100, 3)
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        top = row * (HEAD + 40) + HEAD
        np.testing.assert_array_equal(end[top : top + 40, column * 100 : (column + 1) * 100], panel)
    changed = np.argwhere((start != end).any(axis=2))
    assert changed[:, 0].min() >= len(start) - FOOT  # only the time below moves on


def test_a_long_label_stays_in_its_panel():
    panels = [np.zeros((40, 200, 3), dtype=np.uint8)] * 2
    short = PanelGrid(["a", "b"], (200, 40)).compose(panels, time=0.0, fraction=0.0)
    long = PanelGrid(["a" * 200, "b"], (200, 40)).compose(panels, time=0.0, fraction=0.0)
    np.testing.assert_array_equal(short[:, 190:], long[:, 190:])
    assert (short[:, :190] != long[:, :190]).any()


# The whole comparison


@pytest.fixture(scope="module")
def bend(tube):
    return motion("bend", tube, joint="bone0")


@pytest.fixture
def quick_film(monkeypatch):
    """Small panels."""
    monkeypatch.setattr("supple.report.side_by_side.PANELS", ((120, 160),))


def test_compare_bakes_measures_films_and_writes(tube, bend, tmp_path, quick_film):
    told = []
    made = compare(
        tube,
        bend,
        {"plain": "linear", "plainer": LinearBlend(), "dual": DualQuaternion()},
        path=tmp_path / "new" / "report.html",
        film=tmp_path / "film.gif",
        fps=15.0,
        seconds=0.4,
        watch=told.append,
    )
    assert made.path == tmp_path / "new" / "report.html"
    assert made.film.read_bytes()[:3] == b"GIF"
    assert list(made.reports) == ["plain", "plainer", "dual"]
    assert [len(report) for report in made.reports.values()] == [6, 6, 6]
    read = Reader(made.path.read_text(encoding="utf-8"))
    assert len(read.all("video")) == 1
    curves = made.reports["dual"].curves()
    known = [name for name, (values, _) in curves.items() if np.isfinite(values).any()]
    assert len(read.all("svg", class_="chart")) == len(known) >= 6
    assert len(read.all("path", class_="curve")) == 3 * len(known)
    assert {step.what for step in told} >= {"plain: frames", "dual: measures", "film"}
    assert all(0 <= step.done <= step.total for step in told)
    assert {path.name for path in tmp_path.rglob("*")} == {"new", "report.html", "film.gif"}


def test_kept_bakes_are_used_again(tube, bend, tmp_path, quick_film):
    def again(**more):
        return compare(
            tube, bend, ["linear"], path=tmp_path / "page.html", bakes=tmp_path / "bakes", fps=10.0, seconds=0.3, **more
        )

    first = again()
    (file,) = (tmp_path / "bakes").iterdir()
    before = file.stat().st_mtime_ns
    steps = []
    second = again(watch=steps.append)
    assert file.stat().st_mtime_ns == before
    assert "linear: frames" not in {step.what for step in steps}
    assert list(first.reports["linear"].seconds) == ["whole frame"]
    assert dict(second.reports["linear"].seconds) == {}
    np.testing.assert_array_equal(first.reports["linear"].volume_ratio, second.reports["linear"].volume_ratio)
    compare(
        tube, bend, [DualQuaternion()], path=tmp_path / "page.html", bakes=tmp_path / "bakes", fps=10.0, seconds=0.3
    )
    assert len(list((tmp_path / "bakes").iterdir())) == 2


def test_equal_names_are_numbered(tube, bend, tmp_path, quick_film):
    made = compare(
        tube, bend, [DeltaMush(iterations=2), DeltaMush(iterations=9)], path=tmp_path / "a.html", fps=5.0, seconds=0.2
    )
    assert list(made.reports) == ["delta-mush", "delta-mush (2)"]
    text = Reader(made.path.read_text(encoding="utf-8")).text()
    assert "iterations=2" in text
    assert "iterations=9" in text


def test_the_film_of_a_loop_is_whole_laps(tube):
    steps = motion("twist", tube, joint="bone0")
    assert not steps.loop
    assert comparison._end(steps, None, 30.0) is None
    lap = dataclasses.replace(steps, loop=True)
    laps = (comparison._end(lap, None, 30.0) + 1.0 / 30.0) / lap.duration
    assert laps == pytest.approx(round(laps))
    assert laps * lap.duration >= 3.0
    assert comparison._end(lap, 1.0, 10.0) == pytest.approx(0.9)


def test_without_ffmpeg_the_film_is_an_animated_picture(tube, bend, tmp_path, monkeypatch, quick_film):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    made = compare(tube, bend, ["linear"], path=tmp_path / "a.html", fps=5.0, seconds=0.4)
    (image, _) = Reader(made.path.read_text(encoding="utf-8")).all("img")[0]
    content = base64.b64decode(image["src"].partition("base64,")[2])
    assert content[:4] == b"RIFF"
    assert content[8:12] == b"WEBP"
    assert content.count(b"ANMF") == 2


def test_without_the_renderer_the_page_says_so(tube, bend, tmp_path, monkeypatch):
    def missing(*_, **__):
        raise UnfinishedError("render", "pyvista could not be loaded", "pictures need the render extra", "install it")

    monkeypatch.setattr("supple.report.side_by_side.draw_film", missing)
    made = compare(tube, bend, ["linear"], path=tmp_path / "a.html", film=tmp_path / "a.mp4", fps=5.0, seconds=0.4)
    assert made.film is None
    assert "pyvista could not be loaded" in made.without_film
    assert "There is no film" in Reader(made.path.read_text(encoding="utf-8")).text()


@pytest.mark.parametrize(
    ("skins", "options", "part"),
    [
        ([], {}, "a list of at least one skin"),
        ("linear", {}, "a list of at least one skin"),
        (["liner"], {}, "'liner' was asked for"),
        (["linear"], {"fps": 0.0}, "fps is 0.0"),
        (["linear"], {"fps": NAN}, "fps is nan"),
        (["linear"], {"seconds": -1.0}, "seconds is -1.0"),
        (["linear"], {"seconds": INF}, "seconds is inf"),
        (["linear"], {"path": "."}, "it is a folder"),
        (["linear"], {"path": "a-file/page.html"}, "is no folder that can be written to"),
        (["linear"], {"film": "a-file/film.mp4"}, "is no folder that can be written to"),
        (["linear"], {"film": "film.avi"}, "films are"),
        (["linear"], {"bakes": "a-file"}, "it is a file"),
        (["linear"], {"camera": "upside-down"}, "camera is 'upside-down'"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(skins, options, part, tube, bend, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a-file").write_text("kept")
    with pytest.raises(InputError, match=re.escape(part)):
        compare(tube, bend, skins, **{"path": "page.html", "fps": 5.0, "seconds": 0.4, **options})
    assert [path.name for path in tmp_path.rglob("*")] == ["a-file"]
    assert Path("a-file").read_text() == "kept"


@pytest.mark.parametrize("stage", ["measure", "page"])
def test_a_failure_on_the_way_leaves_what_was_there(stage, tube, bend, tmp_path, monkeypatch, quick_film):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    (tmp_path / "page.html").write_text("the old page")
    monkeypatch.setattr(comparison, stage, fail)
    with pytest.raises(OSError):
        compare(tube, bend, ["linear"], path=tmp_path / "page.html", fps=5.0, seconds=0.4)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "the old page"


# The command


@pytest.fixture
def small_arm(monkeypatch, tube):
    monkeypatch.setattr("supple.cli.pictures.compare.character_from", lambda file, *, vertices, repair, units: tube)


WORDS = "compare arm --motion bend --skins linear,dual-quaternion --fps 10 --seconds 0.5 -o page.html"


def test_the_command_from_end_to_end(capsys, tmp_path, monkeypatch, small_arm, quick_film):
    monkeypatch.chdir(tmp_path)
    assert run([*shlex.split(WORDS), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["page"] == "page.html"
    assert said["film"] is None
    assert said["frames"] == 5
    assert list(said["skins"]) == ["linear", "dual-quaternion"]
    volume = next(row for row in said["skins"]["linear"] if row["name"] == "least volume")
    assert 0.5 < volume["value"] <= 1.01
    text = Reader(Path("page.html").read_text(encoding="utf-8")).text()
    assert f"supple {WORDS}" in text
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert run(shlex.split(WORDS.replace(",dual-quaternion", ""))) == 0  # one skin is fine
    assert "page.html: 1 skin," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (("linear,dual-quaternion", "linear,nonsense"), "'nonsense' was asked for"),
        (("linear,dual-quaternion", ","), "--skins"),
        (("--motion bend", "--motion moonwalk"), "no built-in motion"),
        (("page.html", "a-file/page.html"), "no folder"),
        (("--fps 10", "--fps nan"), "fps is nan"),
        (("compare arm", "compare"), "no character is named"),
        (("-o", "--camera upside-down -o"), "upside-down"),
    ],
)
def test_bad_words_end_with_2(change, part, capsys, tmp_path, monkeypatch, small_arm):
    monkeypatch.chdir(tmp_path)
    Path("a-file").write_text("kept")
    assert run(shlex.split(WORDS.replace(*change))) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert part in err.strip().splitlines()[-1]
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


# A browser, where there is one

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def until(tab, condition: str) -> None:
    """Ask again and again; a waiting script inside the page is what its policy forbids."""
    for _ in range(200):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(50)
    pytest.fail(f"never came true: {condition}")


@pytest.mark.skipif(
    CHROMIUM is None or importlib.util.find_spec("playwright") is None, reason="needs chromium and playwright"
)
def test_in_a_browser_the_film_plays_the_cursor_follows_and_nothing_is_requested(tube, bend, tmp_path, quick_film):
    from playwright.sync_api import sync_playwright

    made = compare(tube, bend, ["linear", "dual-quaternion"], path=tmp_path / "a.html", fps=15.0, seconds=1.0)
    asked, said = [], []
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        tab = browser.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(made.path.as_uri())
        until(tab, "document.querySelector('video').currentTime > 0.2")
        cursor = "Number(document.querySelector('.cursor').getAttribute('x1'))"
        until(tab, f"{cursor} > {LEFT + 50}")
        lengths = tab.evaluate("[...document.querySelectorAll('path.curve')].map(path => path.getTotalLength())")
        assert all(length > WIDE - LEFT - RIGHT - 1 for length in lengths)
        tab.evaluate("document.querySelector('video').pause()")
        tab.locator("svg.chart").first.scroll_into_view_if_needed()
        box = tab.locator("svg.chart").first.bounding_box()
        tab.mouse.click(box["x"] + box["width"] * (LEFT + 0.5 * (WIDE - LEFT - RIGHT)) / WIDE, box["y"] + 60)
        until(tab, "Math.abs(document.querySelector('video').currentTime - 7 / 15) < 0.05")
        shown = tab.locator(".measure output").first.inner_text()
        middle = made.reports["linear"].volume_ratio[7]
        assert float(shown) == pytest.approx(middle, abs=1e-3)
        browser.close()
    assert [url for url in asked if not url.startswith("data:")] == [made.path.as_uri()]
    assert said == []
