"""What came of a farm as build servers read it: JUnit's XML, a suite for every shot."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from supple.farm.outcome import Outcome, ShotOutcome

_NOT_OF_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcome: Outcome) -> str:
    """One test for every shot that it was made, and one for every bound that it has."""
    root = ElementTree.Element("testsuites", name="supple farm", time=f"{outcome.seconds:.3f}")
    total = failures = errors = 0
    for shot in outcome.shots:
        suite = ElementTree.SubElement(root, "testsuite", name=shot.shot.name, time=f"{shot.seconds:.3f}")
        made = ElementTree.SubElement(
            suite, "testcase", classname=shot.shot.name, name="made", time=f"{shot.seconds:.3f}"
        )
        for task, words in shot.errors.items():
            problem = ElementTree.SubElement(made, "error", message=_clean(words), type="error")
            problem.text = _clean(f"{task}: {words}")
        crossed = _bounds(suite, shot)
        counted = 1 + len(shot.shot.bounds), crossed, int(bool(shot.errors))
        for name, count in zip(("tests", "failures", "errors"), counted, strict=True):
            suite.set(name, str(count))
        total, failures, errors = total + counted[0], failures + counted[1], errors + counted[2]
    for name, count in (("tests", total), ("failures", failures), ("errors", errors)):
        root.set(name, str(count))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _bounds(suite: ElementTree.Element, shot: ShotOutcome) -> int:
    """A test for every bound; returns how many are crossed. Of a shot that was not measured they are left out."""
    crossed = 0
    for bound in shot.shot.bounds:
        case = ElementTree.SubElement(suite, "testcase", classname=shot.shot.name, name=str(bound), time="0")
        if not shot.rows:
            ElementTree.SubElement(case, "skipped", message="it was not measured")
            continue
        words = bound.crossed_by(shot.measured)
        if words:
            crossed += 1
            ElementTree.SubElement(case, "failure", message=_clean(words), type="bound").text = _clean(words)
    return crossed


def _clean(text: str) -> str:
    return _NOT_OF_XML.sub("?", text)
