"""A farm whose files lie at addresses: here in the memory of this process, as fsspec has it."""

import pytest

import supple
from supple.farm import farm
from supple.farm.hands import Alone
from supple.io import save


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'supple[farm]'")
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def test_characters_are_fetched_and_bakes_put_back_whole(memory, tmp_path):
    save(supple.character("tube", vertices=500), tmp_path / "tube.glb")
    memory.put_file(str(tmp_path / "tube.glb"), "/in/tube.glb")
    (tmp_path / "shots.toml").write_text("""
        farm = { folder = "memory://out", pictures = 0, frames_per_task = 5 }
        [[shot]]
        name = "a"
        character = "memory://in/tube.glb"
        motion = "bend"
        end = 0.5
        fps = 24
        skin = "linear"
        outputs = ["npz"]
    """)
    outcome = farm(tmp_path / "shots.toml", hands=Alone())
    assert outcome.good, outcome.shots[0].errors
    names = sorted(name for name in memory.find("/out") if "records" not in name)
    assert names == ["/out/a/a.npz", "/out/a/a.supple", "/out/a/measures.json", "/out/farm.json", "/out/index.html"]
    loaded = supple.load(tmp_path / "tube.glb")
    supple.bake(
        loaded, supple.motion("bend", loaded), supple.LinearBlend(), path=tmp_path / "a.supple", fps=24.0, end=0.5
    )
    assert memory.cat("/out/a/a.supple") == (tmp_path / "a.supple").read_bytes()
    again = farm(tmp_path / "shots.toml", hands=Alone())
    assert again.found == again.tasks == 3


def test_a_file_that_is_not_there_and_an_address_of_no_kind_are_named(memory, tmp_path):
    text = 'farm = {{ folder = "{0}" , pictures = 0 }}\n[[shot]]\nname = "a"\ncharacter = "{1}"\nskin = "linear"\n'
    (tmp_path / "shots.toml").write_text(text.format("memory://out", "memory://in/none.glb"))
    (error,) = farm(tmp_path / "shots.toml", hands=Alone()).shots[0].errors.values()
    assert "memory://in/none.glb: there is no such file" in error
    (tmp_path / "shots.toml").write_text(text.format("moon://out", "tube"))
    with pytest.raises(supple.errors.InputError, match="moon://out: it cannot be opened"):
        farm(tmp_path / "shots.toml", hands=Alone())
