"""The protocol of the workers: `requests`, `answers`, and the codec of both (`probes/protocol`).

It is loaded from its files, as the schema is: a `probes` package of the user's can never be taken for it. Each part is
loaded when it is first asked for: what only reads a saved run needs the codec alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from probes.protocol import answers as answers
    from probes.protocol import codec as codec
    from probes.protocol import requests as requests
else:
    from importlib import import_module

    from xladoctor.paths import load_probes

    _package = load_probes("protocol")

    def __getattr__(name: str) -> Any:
        if name not in ("answers", "codec", "requests"):
            raise AttributeError(name)
        return import_module(f"{_package.__name__}.{name}")
