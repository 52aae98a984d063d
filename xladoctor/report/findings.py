"""What a finding is to the reader, what of it must be said, and what to do about it; alike in every format."""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.model.shapes import shape_text
from xladoctor.patterns import pattern
from xladoctor.report.facts import number_text

_SENTENCE = pattern(r"(?:(?<=\.)|(?<=\.\)))\s+(?=[A-Z(\d])")
_CARRIER = pattern(
    r"^(?:OP_REQUIRES failed at \S+ : |Local rendezvous is aborting with status: |Graph execution error:\s*"
    r"|(?:[A-Za-z.]*Error|INVALID_ARGUMENT|UNIMPLEMENTED|INTERNAL|FAILED_PRECONDITION|RESOURCE_EXHAUSTED): )+"
)
_WRAPPER = pattern(
    r"Exception encountered when calling |Could not automatically infer the output shape|Graph execution error:$"
    r"|in user code:$|Error encountered:$"
)


def heading(finding: Finding) -> str:
    """What a finding is to the reader: only an error has a cause."""
    if finding.level == "error":
        return "Root cause" if finding.role == "root" else "Consequence"
    return str(finding.level).capitalize()


def status(finding: Finding) -> str:
    """What is known of it, in a word: confirmed, refuted, likely, or not tested."""
    if finding.status != "untested" or finding.basis is None:
        return finding.status
    return "likely" if getattr(finding.basis, "kind", "") in ("text", "observed") else "not tested"


def basis(finding: Finding) -> str:
    """The sentence that says what its status rests on; empty where nothing does."""
    return str(getattr(finding.basis, "sentence", ""))


def beyond(finding: Finding) -> str:
    """The sentences of the message that say more than the shapes, the numbers and the birth shown beside it."""
    contract = finding.details.get("contract")
    told = [f"the contract is {contract}"] if contract else []
    found = finding.details.get("numbers")
    for item in found if isinstance(found, list | tuple) else ():
        if isinstance(item, dict) and item.get("product"):
            told += [f"{item.get('number')} = {item['product']}", *(f"({wrong} " for wrong in item.get("not") or ())]
    birth = finding.details.get("birth")
    if isinstance(birth, dict) and made(finding):
        told.append(f" arises in {birth.get('op')} ")
    kept = [part for part in _SENTENCE.split(finding.message.strip()) if not any(text in part for text in told)]
    return " ".join(kept)


def made(finding: Finding) -> str:
    """The op in which a wrong size arises, with what goes in and what comes out."""
    birth = finding.details.get("birth")
    if not isinstance(birth, dict) or not birth.get("op") or birth.get("shape") is None:
        return ""
    given = [item.get("shape") for item in birth.get("inputs") or () if isinstance(item, dict)]
    shown = ", ".join(shape_text(shape) for shape in given if shape)
    return f"made by {birth['op']}: {shown or 'no tensor'} in, {shape_text(birth['shape'])} out"


def told_once(evidence: Sequence[Proof]) -> list[Proof]:
    """The evidence with a message that several lines carry said once, with all the places where it stands."""
    out: list[Proof] = []
    at: dict[str, int] = {}
    for proof in evidence:
        first = proof.text.strip().partition("\n")[0]
        core = " ".join(_CARRIER.sub("", first).partition("[Op:")[0].partition("[[{{")[0].split())
        if proof.kind in ("log", "event") and core in at:
            earlier = out[at[core]]
            places = [place for part in (earlier.where, proof.where) if part for place in part.split(", ")]
            where = ", ".join(dict.fromkeys(places))
            out[at[core]] = Proof(earlier.kind, earlier.text, where or None)
            continue
        at.setdefault(core, len(out))
        out.append(proof)
    return out


def telling_line(proof: Proof) -> str:
    """The first line of a proof that says something of its own: not the frame that Keras puts around an exception."""
    rows = [row.strip() for row in proof.text.strip().splitlines() if row.strip()]
    return next((row for row in rows if not _WRAPPER.match(row)), rows[0] if rows else "")


def decisive(findings: Sequence[Finding]) -> list[Finding]:
    """The findings whose remedies come first: the root's, or else those of the errors."""
    roots = [f for f in findings if f.role == "root"]
    if any(f.remedies for f in roots):
        return roots
    return [f for f in findings if f.level == "error"]


def remedies(findings: Sequence[Finding]) -> list[Remedy]:
    """Every remedy once: those that were verified first, then the root's."""
    found: dict[str, Remedy] = {}
    for finding in sorted(findings, key=lambda f: f.role != "root"):
        for remedy in finding.remedies:
            found.setdefault(remedy.id, remedy)
    return sorted(found.values(), key=lambda remedy: remedy.result != "verified")


def as_diff(remedy: Remedy) -> tuple[tuple[str, str], ...]:
    """An edit with which the program ran, as (sign, line); nothing of an edit that nobody has run."""
    if remedy.change is None or remedy.result != "verified":
        return ()
    return ("-", remedy.change.old.strip()), ("+", remedy.change.new.strip())


def how(remedy: Remedy) -> str:
    """What the title does not say, and the diff beside it neither; empty where there is nothing."""
    said = remedy.how.strip()
    if as_diff(remedy):
        said = said.removeprefix(str(remedy.change)).strip()
    return "" if said == remedy.title.strip() else said


def tested(remedy: Remedy) -> str:
    """What is known of a remedy, in words."""
    said = {"verified": "verified by running it", "failed": "FAILED when tried"}.get(remedy.result, "not tested yet")
    if remedy.deviation is not None:
        said += f", deviation {number_text(remedy.deviation)}"
    if remedy.speed_ratio is not None:
        said += f", speed ratio {number_text(remedy.speed_ratio)}"
    return said
