"""Sentences about shapes that no rule recognises word for word. Messages of shape checks are built alike everywhere: a
word for what was measured (shape, rank, axis, a number of elements) and a word of disagreement (must match, expected
... got, incompatible) in one sentence; often a second shape. This reads such a sentence by its parts. It is used last:
a text that a rule recognises, or that names another kind of failure (an element type, a file, a value that is not
finite), is left alone.

`place.py` says what the library function that raised adds to it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from xladoctor.rules.matching import Hit, flat, ints, pattern, shapes, upto
from xladoctor.rules.recognise.class_words import class_by_words
from xladoctor.rules.recognise.place import SHAPE_CHECK, Place, indexes_a_shape, place_of

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord

_RAISED = frozenset(
    {"ValueError", "InvalidArgumentError", "IndexError", "AxisError", "InternalError", "UnimplementedError"}
    | {"RuntimeError", "LinAlgError", "TypeError", "OutOfRangeError", "FailedPreconditionError", "UnknownError"}
    | {
        "Exception",
        "NotImplementedError",
        "AssertionError",
        "XlaRuntimeError",
        "InvalidArgumentException",
        "AbortedError",
    }
)
# An exception's own name that says what was checked.
_NAMED = r"^\w{0,40}(?:Shape|Axis|Dimension|Rank)\w{0,20}Error$"
# A text with one of these names another kind of failure, unless a shape is spelt out in it.
_OTHER = (
    r"\bdtypes?\b|[Dd]ata ?types?\b|\btypes? of\b|\bscalar types\b|\bop requires attribute\b|"
    r"\bDT_[A-Z]|element types?\b|\bNaN\b|\b(?:not )?finite\b|\bInf\b|[Nn]o such file|"
    r"[Pp]ermission denied|\bfile(?:name)?s?\b|\bpath\b|director(?:y|ies)|[Nn]o space left|\bkeyword arg|"
    r"\bcallable\b|\binstance of\b|config(?:uration)?=|(?:from|get)_config|not (?:yet )?(?:supported|"
    r"implemented) (?:in|when|for|with|on|yet)\b|"
    r"is not defined|[Uu]nknown (?:entries|argument|layer|loss|metric|activation|optimizer)|"
    r"\bnon-?negative\b|\b(?:eager|graph) mode\b|\bgradients?\b.{0,40}not supported|\bpickl|\bserializ|"
    r"\b(?:input|output|matching) types\b|\bdevices\b.{0,60}\bsame\b|\bof type\b|\b(?:complex|"
    r"float|u?int)(?:8|16|32|64|128)\b|\bdevice\b.{0,60}not|"
    r"\blen\(self\b|"
    r"\bseed\b|(?:does|do|is|are) not (?:currently )?support(?!s? (?:rank|shape))|[Uu]nknown entries|isn't built|"
    r"\bdoes not work with\b|\b(?:have|has) not been set\b"
)
# An argument of the wrong Python type or choice, whatever the argument is called.
_ARGUMENT = (
    r"(?:must|should|has to|needs? to|expected?(?: to)?)(?: either)? be (?:a |an |of |one of "
    r")?(?:non-?empty )?(?:Python )?"
    r"(?:list|tuple|string|str\b|dict|int\b|integers?\b|float|bool|number\b|callable|instance|type|one of|"
    r"function|iterable|"
    r"positive|non-?negative|None|in \{|a? ?`?(?:tf\.)?[A-Z])|Expected (?:a |an )?(?:list|tuple|dict|string)\b|"
    r"(?:must|should) be (?:set|provided|specified|given|defined|known|called)|cannot be (?:None|empty|both)|"
    r"(?:must|should) be (?:an? )?(?:integer|int|string|list|tuple|iterable|sequence)|[Aa]llowed values|"
    r"[Ii]nvalid (?:value|argument)|"
    r"(?:[Cc]annot|[Cc]an not|only) (?:pass|specify|provide|set|use|give) (?:both|one)|"
    r"(?:must|should|need to|needs to|have to) (?:also )?(?:provide|pass|supply)\b|requires? an? \w{1,20} argument|"
    r"be either [`'\"]|[Ss]upported values|[Vv]alid entries|\bincreasing\b|\bmust be > ?0|[Ss]uggested fix"
    r"|[Vv]alid values|[Ii]nvalid `?\w{1,40}`? (?:argument|value)|[Ii]nvalid (?:padding|mode)\b|\bto be an? "
    r"(?:integer|int|list|tuple|string)\b|\bto be None\b|\bto be an? `?(?:tf\.)?[A-Z][a-z]+[A-Z]"
    r"|(?:must|should) return (?:an? |one |two )|\b[Ii]nvalid (?:format|type)s? (?:for|of) (?:the )?argument\b"
    r"|requires? (?:an? )?(?:sequence|list|tuple) of|\b[Ss]pec string\b"
)
_SUBJECT = (
    r"(?i)\b(?:sub)?shapes?\b|\branks?\b|\bndims?\b|\b[\w.]{0,30}_(?:shape|dims?|dimensions?|dim_size|ndims?|rank)\b|\bdim_sizes?\b|\bdim(?:s|ension(?:s|al(?:ity)?)?)?\b|\bax[ei]s\b|"
    r"\b\dD?-[dD](?:imensional)?\b|\b[0-5]D\b|\b(?:one|two|three|four)-dimensional\b"
)
_COUNTED = (
    r"(?i)\b\d{1,12} (?:values|entries)\b|\belements?\b|\bchannels?\b|\bfeatures?\b|\bcolumns?\b|"
    r"\brows?\b|\bsizes?\b|\blengths?\b|\bbatch(?:es)?\b|"
    r"\bsame number of\b|\bnumber of (?:inputs|samples|outputs|weights|targets|dim|diag|channel|column|row|"
    r"split|segment|partition)|\b(?:\w{1,40}_)?depth\b|\bwidth\b|\bheight\b|"
    r"\bsamples\b|\binputs?\b|\bscalars?\b|\bvectors?\b|\bmatri(?:x|ces)\b|\bsquare\b|\bcardinality\b|\btensor_in\b|\b\w+_size\b|\blen\("
)
_DISAGREE = (
    r"(?i)\bin(?:compatible|consistent)\b|\bmis-?match(?:ed|es)?\b|\bmatch(?:es|ing)?\b|\b(?:un)?equal\b|\bsame\b|"
    r"\b(?:un)?equal to\b|\bidentical\b|\bagree\b|\bdiffer(?:s|ent)?\b|\bexpect(?:s|ed|ing)?\b|"
    r"\bundefined\b|\bnot (?:be )?compatible\b|"
    r"\b(?:must|should|needs? to|has to|have to|is required to|required) (?:not )?(?:be|have|match|equal|fit|agree)\b|"
    r"\b(?:but|and|,|;|:)? ?(?:got|received|found|saw|was given|instead of)\b|\brequires?\b|\bout of "
    r"(?:valid )?(?:bounds?|range)\b|\bof size zero\b|"
    r"\bexceeds?\b|\b(?:greater|bigger|less|larger|smaller|more|fewer|higher) than\b|\bat (?:least|most)\b|"
    r"\bdivisible\b|"
    r"\bmultiple of\b|"
    r"\b(?:[Aa]ttempting|[Tt]ried|[Tt]rying) to (?:slice|split)\b|\bunused\b|\bunexpected\b|"
    r"\bnot consistent\b|\bis \d{1,18} while\b|\bdo(?:es)? not correspond\b|"
    r"\b(?:is |be |must not be )?empty\b|(?<=[a-z] )(?:must|should) (?:specify|contain|provide)\b|\bnot in (?:\[|"
    r"range|the range|tensor)|\bwrong\b|\b(?:invalid|incorrect)\b|\bnot unique\b|\boutside\b|"
    r"!=|==|<=|>=|\bvs\.?(?=\s)|\binsufficient\b|\bwould be (?:zero|negative)|\btoo (?:small|large|few|"
    r"many|short)\b|\bbroadcast"
)
# A bound of a setting: an op's kernel says the same of a tensor, and a rank has one too.
_BOUND = r"(?:must|should) be (?:at least|>=?|greater than(?: or equal to)?|larger than|positive|smaller than) ?-?\d"
_AXES = r"(?i)\branks?\b|\bndims?\b|dimensional|\bshapes?\b|_shape\b"
# Says that something is wrong, but not what: with a number or a shape beside it.
_REFUSE = (
    r"\b(?:[Cc]annot|[Cc]an not|[Cc]an't|[Uu]nable to|[Cc]ould not|does not|do not|must not|only|"
    r"Only (?:[a-z]+ ){0,3}ranks?|but|"
    r"not supported|support)\b"
)
_DIMENSIONED = (
    r"\b(?:must|should|has to|expects?|expected|needs?|to) (?:an? )?(?:be ?)?(?:either )?(?:an? |of )?(?:rank[- ]?\d|"
    r"scalars?\b|vec(?:tors?)?\b|"
    r"matri(?:x|ces)\b|square\b|(?:at least |at most |\[batch, ?)?\d?-?\d-?[dD]\b|\d-dimensional|(?:one|two|"
    r"three)-dimensional)|"
    r"\b(?:is|are) not (?:an? )?(?:vectors?|scalars?|matri(?:x|ces)|\d-?[Tt]ensor|\d-?[dD])\b|\bat least "
    r"an? (?:vector|matrix)"
    r"|\b(?:with|[Hh]ad) rank\b|\bsame (?:length|rank|number of dimensions) as the (?:input )?(?:shape|"
    r"tensor|rank)|\bmust be an? \[[^\[\]]{1,80} x [^\[\]]{1,80}\]"
    r"|\bnot \d-?D\b|\bcannot be (?:an? )?(?:scalar|vector|matrix)\b|\bneither (?:an? )?(?:scalar|vector|matrix)\b"
    r"|\bnot (?:yet )?(?:supported|implemented) for (?:rank \d|\d{1,3} dim|\d-?[dD]\b)"
    r"|\bfor \d-?[dD] (?:array|tensor|input)s?\b"
    r"|\bbe an? \w{1,30} [*x] \w{1,30} matrix\b"
    r"|\bbe an? (?:scalar|vector) or (?:an? )?(?:scalar|vector|matrix)\b|"
    r"\b(?:over|of) an? (?:scalar|0-[dD])\b|\b[Rr]ank-\d tensors? (?:is|are) not\b"
)
_SIZED = r"\b(?:must|should) be \w{1,40} x \w{1,40}\b"
"""Sizes by their names: the rank is right."""
_FITTING = (
    r"\bdimensions?\b(?: [\w`.'-]{1,40}){0,4}(?: \(\d{1,12}\))? (?:must|should|has to|have to) (?:be (?:equal|"
    r"divisible|the same|a multiple)|match|equal|agree)\b|\btoo (?:few|many) (?:\w{1,40} ){0,4}dim(?:ension)?s\b"
)
"""A dimension that must equal another, whatever else the sentence names."""
_TYPED = r"\b(?:but|got)\b[^.(\[]{0,20}\b(?:element |d)type\b"
"""What is wrong is the type, whatever was said of the shape before."""
_INDEXES = (
    r"(?i)(?:\bind(?:ex|ices)|\bids?|_ids?|_indices|\blabels?|\bpartitions)\b.{0,60}(?:\bnot in [\[(]|"
    r"must be (?:[<>]|less than|between|in [\[(])|\boutside\b|\bis invalid\b|\bexceed|"
    r"\bout of (?:range|bounds?)\b|\blarger than\b)"
)
"""The message of a kernel about an index that is too large."""
_EMPTY = (
    r"(?i)\b(?:tensors?|in(?:puts?|\[\d\])|values?|shapes?|images?|boxes|splits)(?!\w).{0,40}"
    r"(?:not be|n't be|be non-?|is|are)(?: an)? ?empty\b"
)
"""Kernels refuse inputs without an element."""
_SPLITS = r"(?i)(?:^|\bragged |\brow[ _]|\bnested[ _]|\bfirst |\blast )split(?:s| value)\b.{0,60}\bmust\b"
"""Where the rows of a ragged tensor end: they have to fit its values."""
_ASSERTED = r"^\s*assert\b.{0,200}(?:\bshape|ndims?\b|\brank\b|\bdims?\b|\bax[ei]s\b)"
_TENSOR = (
    r"\bTensor<type: [^<>]{0,2000}(?:>|$)|"
    r"\bTensor\(\"[^\"]{0,200}\"[^()]{0,60}\([^()]{0,100}\)[^()]{0,60}\)|<(?:tf\.|"
    r"Keras)?(?:Tensor|Variable)\b[^<>]{0,12000}(?:<[^<>]{0,100}>[^<>]{0,12000})?(?:>|$)"
)
"""A tensor or a variable as it is printed, with its shape and its values: what it is, not what is wrong with it."""
_SIZE = r"(?:<=)?(?:-?\d{1,12}|\?|None)"
# Between two sizes stands a comma or a space: without one, digits could be cut into sizes in very many ways.
_SHAPED = (
    rf"[\[(]\s?{_SIZE}(?:(?:\s?,\s?|\s){_SIZE}){{0,15}}\s?,?\s?[\])]|TensorShape\(|\bshape ?=? ?\(\)|\bshape ?=? ?\[\]"
)


@lru_cache(maxsize=1024)
def guess(record: ErrorRecord, text: str) -> tuple[str, Hit] | None:
    """The class of a sentence about shapes that no rule recognises, and what can be said about it; None if it is not
    about shapes.
    """
    name = record.exception
    if name is None and not (record.op or record.nodes):  # a part of a wrapped line can look like a sentence
        return None
    if record.level == "warning":  # the runtime warns of much that does no harm
        return None
    if name is not None and name not in _RAISED and not pattern(_NAMED).match(name):
        return None
    # The frame of every assertion of values (check_ops.py): its words about elements say nothing of shapes.
    said = pattern(r"(?:Condition x \S{1,2} y did not hold|x and y not equal to tolerance)\b.*").sub(
        "", _sentence(text)
    )
    said = said.strip()
    if "`generator` yielded an element" in said:  # what the user's own Python gives, held against its signature
        return None
    if _is_own(record) and not _spells_sizes(said):
        return None
    place = place_of(record)
    if _is_of_something_else(said, place.op or ""):
        return None
    if name == "AbortedError":  # oneDNN refuses sizes without naming them
        refused = pattern(
            r"could not create a (?:primitive )?descriptor for (?:an?|the) (?:\w+ ){0,3}"
            r"(?:pooling|convolution|matmul|inner)|could not construct a memory descriptor"
        )
        if refused.search(said):
            return "matmul-conv-mismatch", _hit(said, name, place)
    if place.op is not None and pattern(
        r"(?i)(?:\d(?: is)?|\bind(?:ex|ices)\b(?: is)?|_index is) out of (?:range|bounds?)\b"
    ).search(said):
        return place.slug or "index-out-of-range", _hit(said, name, place)
    if name == "AssertionError":  # of the user's own, or without a word
        return ("rank-mismatch", _hit(said, name, place)) if not said and _asserts_a_shape(record) else None
    if place.op is not None and (slug := _kernels_own(said)):
        return place.slug if slug == _FAMILY and place.slug else slug, _hit(said, name, place)
    if name == "NotImplementedError" and not (_by_size(said) or pattern(_FITTING).search(said)):
        return None
    by_name = name is not None and pattern(_NAMED).match(name) is not None
    if name == "IndexError" and not by_name:
        return _index(said, record, place)
    if name == "ValueError" and pattern(r"^(?:too many|not enough) values to unpack\b").search(said):
        return ("rank-mismatch", _hit(said, name, place)) if _unpacks_a_shape(record) else None
    if not by_name and not _about_shapes(said, place, bare=name is None):
        return None
    slug = _class(said, record, place)
    return slug, _hit(said, name, place)


_FAMILY = "broadcast-mismatch"
"""Inputs that do not fit, if the op belongs to no family."""


def _kernels_own(said: str) -> str | None:
    """The class of what only kernels say: they check tensors, and nothing else."""
    if pattern(_OTHER).search(said) and not pattern(_SHAPED).search(said):
        return None
    if pattern(_SPLITS).search(said):
        return _FAMILY
    if pattern(_INDEXES).search(said):
        return "index-out-of-range"
    return _FAMILY if pattern(_EMPTY).search(said) else None


def _asserts_a_shape(record: ErrorRecord) -> bool:
    """Whether a line of a library asserts something of a shape, and says nothing."""
    last = record.frames[-1] if record.frames else None
    return last is not None and not last.user and pattern(_ASSERTED).match(last.code or "") is not None


def _is_of_something_else(said: str, op: str) -> bool:
    """Whether an index is that of a machine, or what is empty is a file."""
    if pattern(r"(?i)\b(?:device|task|process|worker|replica)[ _](?:id|index)\b").search(said):
        return True
    return pattern(r"^(?:Decode|Parse|Read)").match(op) is not None and pattern(_EMPTY).search(said) is not None


def _is_own(record: ErrorRecord) -> bool:
    """Whether a line of the program itself raised it, in words of its own: TensorFlow names an op or a node."""
    last = record.frames[-1] if record.frames else None
    own = last is not None and last.user and pattern(r"^\s*raise\b").match(last.code or "") is not None
    return own and record.op is None and not record.nodes


def _spells_sizes(said: str) -> bool:
    """Whether a sentence names a shape or two sizes: a program that checks an option talks of shapes as well."""
    return pattern(_SHAPED).search(said) is not None or len(ints(said)) >= 2


def _index(said: str, record: ErrorRecord, place: Place) -> tuple[str, Hit] | None:
    """An IndexError: of an array or a tensor. Python's own lists say only `list index out of range`, which is about
    shapes
    where the line that failed indexes one.
    """
    if not said:
        return None
    code = record.frames[-1].code or "" if record.frames else ""
    if pattern(r"^(?:list|tuple|pop) (?:assignment )?index out of range").search(said):
        library = bool(record.frames) and not record.frames[-1].user
        in_layer = "Exception encountered when calling" in record.text and (said[:4] != "list" or library)
        of_shape = "shape" in code or in_layer or indexes_a_shape(record)
        return ("rank-mismatch", _hit(said, "IndexError", place)) if of_shape else None
    if pattern(r"^(?:string|pop|deque|bytearray|range object)\b").search(said):
        return None
    library = bool(record.frames) and not record.frames[-1].user
    if not (library and pattern(r"out of (?:bounds|range)").search(said)) and not _about_shapes(
        said, place, bare=False
    ):
        return None
    slug = _named_class(said) or "index-out-of-range"
    return slug, _hit(said, "IndexError", place)


def _unpacks_a_shape(record: ErrorRecord) -> bool:
    """Whether the line that unpacks takes a shape apart."""
    code = record.frames[-1].code or "" if record.frames else ""
    return pattern(r"=.{0,120}(?:\.shape\b|\bshape\(|_shape\b|\.dims\b|\.as_list\()").search(code) is not None


_DECIDE = ("the shapes that this line of your code passes, and those that the message expects",)


def _hit(said: str, name: str | None, place: Place) -> Hit:
    by = "text" if _by_text(said, kernel=place.op is not None) else "place"
    details = {"general": True, "by": by, "key": said[:200]}
    return Hit(
        _tell(said, name, by), dims=_numbers(said), op=place.op, status="untested", details=details, decide=_DECIDE
    )


def _sentence(text: str) -> str:
    """The message without what follows it: the call's arguments, node references, the path of the conversion."""
    marks = (
        " [[",
        "Arguments received by",
        "Call arguments received",
        "tf2xla conversion failed",
        " [Op:",
        " for '{{node",
    )
    said = pattern(_TENSOR).sub("a tensor", upto(flat(text), *marks))[:1500]
    # Keras puts its own frame around the message of an inner check.
    said = pattern(r"\{\{[^{}]{1,500}\}\} ?").sub("", said)
    inner = pattern(
        r"Exception encountered when calling (?:.{1,200}?\(\)|layer .{1,200}?\(type \w{1,80}\))\.?,? ?(.{1,1500})"
    ).search(said)
    return inner[1] if inner else said


def _by_size(said: str) -> bool:
    """Whether it says what rank, or which sizes, there should be."""
    return bool(pattern(_DIMENSIONED).search(said) or pattern(_SIZED).search(said))


def _about_shapes(said: str, place: Place, *, bare: bool) -> bool:
    shaped = len(pattern(_SHAPED).findall(said.partition(" with input shapes: ")[0]))
    if _by_size(said) and not pattern(r"\bdtypes?\b|\btypes?\b|\d-bit\b").search(said):
        return True
    if pattern(_TYPED).search(said) and shaped < 2:
        return False
    if pattern(_FITTING).search(said):
        return True
    if pattern(_OTHER).search(said) and not (
        shaped >= 2 or (shaped and pattern(r"(?i)shape|rank|dimension").search(said))
    ):
        return False
    if place.op is None and pattern(_BOUND).search(said) and not pattern(_AXES).search(said):
        return False
    ranked = place.op is not None and pattern(r"\branks?\b|\b\d-dimensional\b").search(said)  # no kernel has options
    sized = shaped and pattern(r"\b(?:dims|dimensions) of\b").search(said)
    if pattern(_ARGUMENT).search(said) and shaped < 2 and not (ranked or sized or pattern(_DIMENSIONED).search(said)):
        return False
    return _by_text(said, kernel=place.op is not None or place.near) or (not bare and place.kind == SHAPE_CHECK)


def _by_text(said: str, *, kernel: bool) -> bool:
    """`kernel`: an op checks its inputs, which are tensors and nothing else."""
    if _by_size(said):
        return True
    if pattern(r"(?i)\bmis-?match(?:ed|ing)? (?:\w+ ){0,2}(?:sizes?|lengths?|shapes?|dimensions?)\b").search(said):
        return True
    shaped = len(pattern(_SHAPED).findall(said))
    if kernel and shaped >= 2:
        return True
    refused = pattern(_REFUSE).search(said) is not None and (shaped or ints(said))
    if not refused and not pattern(_DISAGREE).search(said):
        return False
    if pattern(_SUBJECT).search(said):
        return True
    counted = pattern(_COUNTED).search(said) is not None
    return counted and (kernel or shaped >= 1 or len(ints(said)) >= 2)


# Words for these say more than the op that complains.
_OVER_PLACE = frozenset({"rank-mismatch", "index-out-of-range", "weight-shape-mismatch"})


def _class(said: str, record: ErrorRecord, place: Place) -> str:
    words = _named_class(said, of_kernel=place.op is not None and not place.keras)
    if place.slug and (words is None or not place.weak or words not in _OVER_PLACE):
        return place.slug
    return words or ("keras-input-mismatch" if place.keras else "broadcast-mismatch")


def _named_class(said: str, *, of_kernel: bool = False) -> str | None:
    return "rank-mismatch" if pattern(_DIMENSIONED).search(said) else class_by_words(said, of_kernel=of_kernel)


def _numbers(said: str) -> tuple[int, ...]:
    """The sizes of the shapes that are spelt out, else the numbers of the sentence (a few)."""
    named = tuple(size for dims in shapes(said) for size in dims if size is not None)
    return (named or tuple(n for n in ints(said) if abs(n) < 10**9))[:12]


def _tell(said: str, name: str | None, by: str) -> str:
    words = said[:300].rstrip(".: ")
    why = "its words are about shapes" if by == "text" else "the function that raised it checks shapes"
    return f"{words or name}. The doctor has no rule for this message; {why}."
