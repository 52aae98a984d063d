"""What workers answer. A field without a default is in every answer; one with a default is there where it says more.

Shapes are lists of sizes, `?` or `<=N` in the place of one that is not known or only bounded. Times are in seconds. A
frame is a line of the user's: [file, line, function]; in lists of frames the innermost is the last.
"""

from __future__ import annotations

from .comparisons import Agreement as Agreement
from .comparisons import Compared as Compared
from .comparisons import ComparedWays as ComparedWays
from .comparisons import Dependence as Dependence
from .comparisons import Draw as Draw
from .comparisons import Explained as Explained
from .comparisons import FailedTest as FailedTest
from .comparisons import FirstNode as FirstNode
from .comparisons import Judgement as Judgement
from .comparisons import Map as Map
from .comparisons import OwnGradients as OwnGradients
from .comparisons import Pairing as Pairing
from .comparisons import PartingNode as PartingNode
from .comparisons import Random as Random
from .comparisons import Remedy as Remedy
from .comparisons import Rows as Rows
from .comparisons import RowTest as RowTest
from .comparisons import TwoWays as TwoWays
from .comparisons import Ways as Ways
from .graphs import Baked as Baked
from .graphs import Captured as Captured
from .graphs import Comparison as Comparison
from .graphs import Compiled as Compiled
from .graphs import Description as Description
from .graphs import Digest as Digest
from .graphs import Editable as Editable
from .graphs import Facts as Facts
from .graphs import Given as Given
from .graphs import Lowered as Lowered
from .graphs import LoweredFor as LoweredFor
from .graphs import Memory as Memory
from .graphs import NodeSource as NodeSource
from .graphs import Outline as Outline
from .graphs import OutputPair as OutputPair
from .graphs import Recompiles as Recompiles
from .graphs import Remade as Remade
from .graphs import Shown as Shown
from .graphs import SilentPart as SilentPart
from .graphs import Spot as Spot
from .graphs import Unsupported as Unsupported
from .graphs import ValueOrigin as ValueOrigin
from .graphs import ValueOrigins as ValueOrigins
from .outcomes import Attempt as Attempt
from .outcomes import Edit as Edit
from .outcomes import Error as Error
from .outcomes import FailedNode as FailedNode
from .outcomes import FailingOp as FailingOp
from .outcomes import Frame as Frame
from .outcomes import Frames as Frames
from .outcomes import Hello as Hello
from .outcomes import Input as Input
from .outcomes import Loaded as Loaded
from .outcomes import Occurrence as Occurrence
from .outcomes import OptimizerTry as OptimizerTry
from .outcomes import Origin as Origin
from .outcomes import Outcome as Outcome
from .outcomes import Output as Output
from .outcomes import RefusedOp as RefusedOp
from .outcomes import Shape as Shape
from .outcomes import Shapes as Shapes
from .outcomes import TriedOptimizers as TriedOptimizers
