"""What a file of commands offers: a function for each."""

from collections.abc import Callable, Mapping
from typing import Any

from supple.studio import messages as say
from supple.studio.session import Session

Handlers = Mapping[type[say.Command], Callable[[Session, Any], None]]
