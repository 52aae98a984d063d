"""What the doctor knows: one file for each family of failures. A family is loaded when one of its rules is needed."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from xladoctor.rules import messages

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Finding
    from xladoctor.model.evidence import ErrorRecord
    from xladoctor.recording.evidence import Evidence
    from xladoctor.rules.base import Rule

_IN_FAMILIES: dict[str, tuple[str, str]] = {
    "XD101": ("flag-error", "environment"),
    "XD102": ("flag-ineffective", "environment"),
    "XD103": ("libdevice-missing", "environment"),
    "XD104": ("ptxas-missing", "environment"),
    "XD105": ("gpu-library-failed", "environment"),
    "XD201": ("setting-too-late", "order"),
    "XD202": ("dead-switch", "order"),
    "XD203": ("baked-in-setting", "order"),
    "XD301": ("reshape-mismatch", "shapes"),
    "XD302": ("broadcast-mismatch", "shapes"),
    "XD303": ("concat-pack-mismatch", "shapes"),
    "XD304": ("matmul-conv-mismatch", "shapes"),
    "XD305": ("rank-mismatch", "shapes"),
    "XD306": ("slice-out-of-bounds", "shapes"),
    "XD307": ("keras-input-mismatch", "shapes"),
    "XD308": ("weight-shape-mismatch", "shapes"),
    "XD309": ("contract-violation", "shapes"),
    "XD310": ("index-out-of-range", "shapes"),
    "XD401": ("dynamic-dimension-unsupported", "dynamic"),
    "XD402": ("dynamic-padder-ret-check", "dynamic"),
    "XD403": ("xla-internal-ret-check", "dynamic"),
    "XD404": ("compile-time-constant", "dynamic"),
    "XD405": ("value-baked-in", "dynamic"),
    "XD406": ("unsupported-op", "compilation"),
    "XD407": ("determinism-unsupported", "compilation"),
    "XD408": ("loop-shape-mismatch", "control_flow"),
    "XD409": ("branch-shape-mismatch", "control_flow"),
    "XD410": ("tensorlist-dynamic", "control_flow"),
    "XD411": ("resource-device", "compilation"),
    "XD412": ("variable-creation", "compilation"),
    "XD413": ("slow-compile", "compilation"),
    "XD414": ("retracing", "compilation"),
    "XD415": ("compile-failed", "compilation"),
    "XD501": ("jit-kernel-failed", "kernels"),
    "XD502": ("autotune-failed", "kernels"),
    "XD503": ("oom", "kernels"),
    "XD601": ("dtype-mismatch", "types"),
    "XD701": ("parity-divergence", "numbers"),
    "XD702": ("wrong-shape-silent", "numbers"),
    "XD703": ("wrong-pairing", "numbers"),
    "XD704": ("random-in-compiled", "numbers"),
    "XD706": ("unsound-split", "numbers"),
    "XD707": ("sorted-batches", "numbers"),
    "XD708": ("loss-input-mismatch", "training"),
    "XD709": ("unlike-training", "training"),
    "XD710": ("integer-wrap", "training"),
    "XD711": ("wrong-gradient", "training"),
    "XD800": ("lint-comment", "source"),
    "XD801": ("environment-after-import", "source"),
    "XD802": ("config-read-at-import", "source"),
    "XD803": ("host-op-in-jit", "source_jit"),
    "XD804": ("variable-in-jit", "source_jit"),
    "XD805": ("shape-from-value", "source_jit"),
    "XD806": ("data-dependent-size", "source_jit"),
    "XD807": ("branch-rows-differ", "source_jit"),
    "XD808": ("guard-vanishes", "source"),
    "XD809": ("partial-batch", "source"),
    "XD810": ("explicit-jit", "source"),
    "XD811": ("mixed-float-widths", "source_jit"),
    "XD812": ("global-session-option", "source"),
    "XD813": ("check-dropped", "source_jit"),
    "XD814": ("array-cannot-grow", "source_jit"),
    "XD815": ("seed-ignored", "source_jit"),
    "XD816": ("masked-root", "source_jit"),
    "XD817": ("nan-of-maximum", "source_jit"),
    "XD818": ("growing-loop", "source_jit"),
    "XD901": ("not-xla", "not_xla"),
    "XD902": ("not-recorded", "not_xla"),
    "XD903": ("log-cut", "not_xla"),
    "XD904": ("not-finite", "not_xla"),
    "XD905": ("disk-full", "not_xla"),
    "XD906": ("process-killed", "not_xla"),
    "XD907": ("callback-error", "not_xla"),
    "XD908": ("wrong-input-key", "not_xla"),
    "XD909": ("saved-file-unusable", "not_xla"),
    "XD910": ("pickling-failed", "not_xla"),
    "XD911": ("removed-name", "not_xla"),
}
CODES: dict[str, tuple[str, str]] = dict(sorted({**_IN_FAMILIES, **messages.codes()}.items()))
"""Code -> slug and module: of the classes in files of their own, and of those in a family. Once given, a code never
changes its meaning.
"""


OUTSIDE: frozenset[str] = frozenset(
    slug for code, (slug, _) in CODES.items() if code.startswith("XD9") and code not in ("XD902", "XD903")
)
"""Classes of failures that are neither XLA nor shapes: `not-xla`, and those of its kind that have a name."""


class UnknownRule(LookupError):
    """No rule has this code or slug; `suggestions` are the nearest names."""

    def __init__(self, name: str, suggestions: tuple[str, ...]) -> None:
        hint = f"; did you mean {' or '.join(suggestions)}?" if suggestions else ""
        super().__init__(f"there is no rule {name!r}{hint}")
        self.name, self.suggestions = name, suggestions


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the codes; those of plug-ins last."""
    return (*(by_code(code) for code in CODES), *_foreign())


def literals() -> tuple[str, ...]:
    """The literals of message classes and plug-ins, which the reader of logs looks for besides its own."""
    from xladoctor.rules import plugins

    return (*messages.literals(), *plugins.literals())


def plugin_problems() -> tuple[str, ...]:
    """What is wrong with plug-ins so far, one line each."""
    from xladoctor.rules import plugins

    return plugins.problems()


def _foreign() -> tuple[Rule, ...]:
    from xladoctor.rules import plugins

    return plugins.rules()


def by_code(code: str) -> Rule:
    """The rule of a code: `XD301`, `xd301`, `301`."""
    wanted = code.strip().upper()
    if not wanted.startswith("XD"):
        foreign = next((rule for rule in _foreign() if rule.code == wanted), None)
        if foreign is not None:
            return foreign
        wanted = f"XD{wanted}"
    if wanted not in CODES:
        raise UnknownRule(code, tuple(get_close_matches(wanted, CODES, n=3, cutoff=0.6)))
    return _family(CODES[wanted][1])[wanted]


def by_slug(slug: str) -> Rule:
    """The rule of a slug: `reshape-mismatch`, `Reshape_Mismatch`."""
    if slug.strip()[:2].upper() == "XD" and slug.strip()[2:3].isdigit():
        return by_code(slug)
    wanted = slug.strip().lower().replace("_", "-").replace(" ", "-")
    own = ((code, name) for code, (name, _) in CODES.items())
    code = next((code for code, name in (*own, *((r.code, r.slug) for r in _foreign())) if name == wanted), None)
    if code is None:
        raise UnknownRule(slug, nearest(wanted))
    return by_code(code)


def known(record: ErrorRecord, *, but: str = "") -> Rule | None:
    """The first of the doctor's own rules (other than `not-xla` and the one of code `but`) that recognises this
    record.
    """
    return _known(record, but)


# A dozen rules ask about the same records of one log.
@lru_cache(maxsize=512)
def _known(record: ErrorRecord, but: str) -> Rule | None:
    from xladoctor.rules.matching import asked

    said = asked(record)
    return next((rule for rule in _own() if rule.code != but and rule.recognise and said.hit(rule.recognise)), None)


@cache
def _own() -> tuple[Rule, ...]:
    """The built-in rules that recognise a record."""
    return tuple(rule for rule in all_rules() if not rule.origin and rule.recognise is not None)


def recognised(record: ErrorRecord, *, but: str = "") -> Rule | None:
    """The same; if no rule recognises the words, the first whose general recogniser does."""
    from xladoctor.rules.matching import flat

    rule = known(record, but=but)
    if rule is not None:
        return rule
    text = flat(record.text)
    return next((r for r in all_rules() if not r.origin and r.general and r.general(record, text)), None)


def findings(evidence: Evidence) -> tuple[Finding, ...]:
    """What all rules find in the evidence, likeliest root first; only the first has the role `root`.

    Order: errors before warnings; findings that a rule itself calls a consequence last; failures that the run survived
    after those that may have ended it; lower `rank` first; then earlier in the log.
    """
    from dataclasses import replace

    from xladoctor.rules.bare import marked, with_bare

    evidence = with_bare(evidence)
    position = {record.where: i for i, record in enumerate(evidence.log.records)}
    found = _without_known([marked(f, evidence) for rule in all_rules() if rule.match for f in rule.match(evidence)])
    ranks = {rule.code: rule.rank for rule in all_rules()}

    def key(f: Finding) -> tuple[bool, bool, bool, int, int]:
        at = min((position.get(p.where or "", len(position)) for p in f.evidence), default=len(position))
        survived = bool(f.details.get("went_on") or f.details.get("harmless"))
        return f.level != "error", f.role == "consequence", survived, ranks[f.code], at

    found.sort(key=key)
    return tuple(replace(f, role="root" if i == 0 else "consequence") for i, f in enumerate(found))


def _without_known(found: list[Finding]) -> list[Finding]:
    """Without `not-xla` and its like, and without what is only guessed, for what a plug-in explains. Only by what it
    found,
    and not by what it says it would recognise: a plug-in that fails must not make a failed run look healthy.
    """
    told = {p.where for f in found if not f.code.startswith("XD") and f.level == "error" for p in f.evidence if p.where}
    weak = [f for f in found if f.code.startswith("XD9") or f.details.get("general")]
    return [f for f in found if f not in weak or not any(p.where in told for p in f.evidence)]


def nearest(wanted: str) -> tuple[str, ...]:
    """Up to three slugs: those with a word that begins with the text (at their own beginning first), then those with
    similar spelling.
    """
    slugs = [*(name for name, _ in CODES.values()), *(rule.slug for rule in _foreign())]
    begun = sorted((name for name in slugs if f"-{wanted}" in f"-{name}"), key=lambda name: not name.startswith(wanted))
    alike = get_close_matches(wanted, slugs, n=3, cutoff=0.5)
    return tuple(dict.fromkeys([*begun, *alike]))[:3]


@cache
def _family(name: str) -> dict[str, Rule]:
    module = import_module(f"xladoctor.rules.{name}")
    return {rule.code: rule for rule in (module.RULES if hasattr(module, "RULES") else (module.RULE,))}
