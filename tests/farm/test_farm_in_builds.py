"""The GitHub Action and the pre-commit hooks of docs/farm.md: both are YAML, and their commands do what they say."""

import contextlib
import re
import shlex
from pathlib import Path

import pytest

from supple.cli.main import main
from supple.farm import running
from supple.farm.hands import Alone

PAGE = Path(__file__).parents[2] / "docs" / "farm.md"
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in re.findall(r"(?:run|entry): (supple .*)", block)]
LIST = """
farm = {{ folder = "out", pictures = 0 }}
[[shot]]
name = "sc010"
character = "tube"
vertices = 500
motion = "bend"
end = 0.1
skin = "linear"
bounds = {{ least-volume = {{ low = {low} }} }}
"""


def test_both_are_yaml_of_the_right_shape():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: make farm-tests")
    action, hooks = (yaml.safe_load(block) for block in BLOCKS)
    steps = action["jobs"]["skins"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    assert action[True] == ["pull_request"]  # YAML 1.1 reads the word "on" as true
    assert (
        next(step for step in steps if "upload" in step.get("uses", ""))["with"]["path"] == "out/index.html\nskins.xml"
    )
    (repo,) = hooks["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["pass_filenames"] is False
    assert re.search(repo["hooks"][0]["files"], "shots.toml")
    assert not re.search(repo["hooks"][0]["files"], "shots.toml.orig")


def test_their_commands_let_good_shots_pass_and_stop_bad_ones(tmp_path, monkeypatch):
    assert len(COMMANDS) == 3
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "hands_of", lambda *given, **options: contextlib.nullcontext(Alone()))
    for low, code in ((0.5, 0), (2.0, 3)):
        Path("shots.toml").write_text(LIST.format(low=low))
        for command in COMMANDS:
            expected = 0 if "--check" in command else code
            assert main(shlex.split(command)[1:]) == expected
    assert "skins.xml" in {path.name for path in tmp_path.iterdir()}
    Path("shots.toml").write_text("[[shot]]\nname = 'a'\nskin = 'silk'\n")
    assert [main(shlex.split(command)[1:]) for command in COMMANDS] == [2, 2, 2]
