"""Many bakes: a list of shots on the cores of this machine or on a Dask cluster, with all that follows them."""

from supple.farm.junit import junit
from supple.farm.outcome import Outcome, ShotOutcome
from supple.farm.running import News, farm
from supple.farm.shot import Bound, Shot
from supple.farm.shot_file import ShotList, load_shots

__all__ = ["Bound", "News", "Outcome", "Shot", "ShotList", "ShotOutcome", "farm", "junit", "load_shots"]
