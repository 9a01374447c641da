"""Skin as a network of curves that bend like beams."""

from supple.skins.curves.learn.dataset import CurveExamples
from supple.skins.curves.learn.model import CurveModel
from supple.skins.curves.learn.model_file import load_curves, save_curves
from supple.skins.curves.learn.training import fit_curves

__all__ = ["CurveExamples", "CurveModel", "fit_curves", "load_curves", "save_curves"]
