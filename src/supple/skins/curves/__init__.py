"""Skin as a network of curves that bend like beams."""

from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.model_file import load_curves, save_curves
from supple.skins.curves.learn.training import fit_curves
from supple.skins.examples import SkinExamples

__all__ = ["CurveModel", "SkinExamples", "fit_curves", "load_curves", "save_curves"]
