"""Pictures as inline SVG, drawn from plain values.

A drawing function takes lists and dicts, and gives an `html.Figure`-ready string: title and description for those who
do not see it, colours by classes of the page's style only, all foreign text escaped. The same values stand in a table
beside each picture.
"""

from __future__ import annotations

from xladoctor.report.svg.canvas import Canvas
from xladoctor.report.svg.chain import chain
from xladoctor.report.svg.heat import heat
from xladoctor.report.svg.path import data_path
from xladoctor.report.svg.settings import settings
from xladoctor.report.svg.sweep import sweep

__all__ = ["Canvas", "chain", "data_path", "heat", "settings", "sweep"]
