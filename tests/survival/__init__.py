"""The scorecard of faults survived: `make survive`, or `python -m survival` in the folder of the tests."""
