"""Measures of what is shown: as colours on the skin, and as curves under the motion's time."""
