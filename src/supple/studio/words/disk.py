"""Commands of what is written to disk: the document, and the files that jobs make of it."""

from __future__ import annotations

from supple.studio.words.bounds import Command, Index, Name, Point, View


class Save(Command, tag="save", frozen=True):
    """Write the document to its file; under another name, which is no path, where one is given."""

    name: Name = ""
    replace: bool = False


class OpenDocument(Command, tag="open-document", frozen=True):
    """Open a document of those that `SavingInfo` lists, by its key."""

    key: Name


class GoOn(Command, tag="go-on", frozen=True):
    """Go on with what was left open by a studio that has ended, or do without it."""

    take: bool


class LookFrom(Command, tag="look-from", frozen=True):
    """From where the character is looked at, and on what point, both from the middle of the body; kept when saved."""

    position: Point
    target: Point


class StartJob(Command, tag="start-job", frozen=True):
    """Make a file of the document beside what plays: of one skin, or of all where the job is a comparison."""

    kind: Name
    suffix: Name
    view: View = 0


class CancelJob(Command, tag="cancel-job", frozen=True):
    """End a job; it can be gone on with."""

    job: Index


class ResumeJob(Command, tag="resume-job", frozen=True):
    """Go on with a job that was ended."""

    job: Index


class ForgetJob(Command, tag="forget-job", frozen=True):
    """Take a job that has ended from the list."""

    job: Index
