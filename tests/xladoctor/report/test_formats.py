"""Every renderer, with every kind of diagnosis: what comes out is well-formed, whole, and obeys nothing in it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.xladoctor.report import samples
from tests.xladoctor.report.hostile import CONTROL, EVIL, FULL, PATHS, everywhere, put
from tests.xladoctor.report.pages import check_page, words
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Proof
from xladoctor.report import FORMATS, MANY, csv_, json_, render, render_many
from xladoctor.report.text import line
from xladoctor.rules import all_rules

SCHEMA = Path(__file__).resolve().parents[2] / "fixtures" / "sarif" / "sarif-2.1.0-rtm.5.json"
# What each of the formats would take for its own: a workflow command, the end of CDATA, a placeholder, a formula.
SLY = (
    '=HYPERLINK("http://x")\r\n::error file=x::owned\n##[error]owned ]]> </failure><failure/> %0A::warning::a '
    '{0} [a](javascript:x) "," \ufffe\uffff\x00\x1b[31m\udc80\u2028::error::b'
)


def finding(**fields: object) -> Finding:
    return Finding("XD301", "reshape-mismatch", "error", "root", "A title", "A message.", **fields)


def of_rule(rule) -> Diagnosis:
    verdict = "failed" if rule.level == "error" else "warnings"
    said = Finding(rule.code, rule.slug, rule.level, "root", rule.title, rule.what, remedies=rule.remedies)
    return Diagnosis("train.log", verdict, (said,), tool_version="1.2")


KINDS: dict[str, Diagnosis] = {
    "loud": samples.LOUD,
    "muted": samples.MUTED,
    "full": FULL,
    "healthy": samples.HEALTHY,
    "empty": Diagnosis("", "healthy"),
    "unreadable": Diagnosis("a.log", "healthy", problems=("a.log: no such file", SLY)),
    "no location": Diagnosis("a.log", "failed", (finding(evidence=(Proof("log", "Input to reshape", "a.log:7"),)),)),
    "nowhere": Diagnosis("a.log", "failed", (finding(evidence=(Proof("log", "x", "a.log"), Proof("log", "y")),),)),
    "odd places": Diagnosis(
        "a.log",
        "failed",
        tuple(
            finding(location=Location(file, line))
            for file, line in [
                ("C:\\runs\\a b.py", 3), ("./src/ä %20.py", 1), ("//server/x.py", 2), ("<string>", 0), ("", None),
                ("a,b:c.py", -4), ("x.py", True), ("x.py", 2**40), ("http://x/y.py", 1),
            ]
        ),
    ),
    "unknown code": Diagnosis("a.log", "failed", (replace(finding(), code="ZZ9", slug="of-tomorrow"),)),
    "unknown level": Diagnosis("a.log", "failed", (replace(finding(), level="fatal"),)),
    "no numbers": Diagnosis("a.log", "failed", (finding(dims=(float("nan"), float("inf"), None, "?")),)),
    "long": Diagnosis("a.log", "failed", (replace(finding(), message="wide " * 5000),)),
    "hostile": everywhere(),
    "sly": everywhere(SLY),
    **{rule.code: of_rule(rule) for rule in all_rules()},
}  # fmt: skip


@cache
def validator() -> jsonschema.Draft4Validator:
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text()))


def check_sarif(said: str, diagnoses: list[Diagnosis]) -> None:
    assert said.isascii() and not CONTROL.search(said)
    log = json.loads(said)
    validator().validate(log)
    assert len(log["runs"]) == len(diagnoses)
    for run, diagnosis in zip(log["runs"], diagnoses, strict=True):
        rules = run["tool"]["driver"]["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        assert run["invocations"][0]["executionSuccessful"] is not bool(diagnosis.problems)
        for result, wanted in zip(run["results"], diagnosis.findings, strict=True):
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == wanted.code
            assert "](" not in result["message"]["text"]
            assert not re.search(r"(?<!\{)(\{\{)*\{(?!\{)", result["message"]["text"])
            for place in result.get("locations", []) + result.get("relatedLocations", []):
                uri = place["physicalLocation"]["artifactLocation"]["uri"]
                assert urlsplit(uri).scheme in ("", "file") and not re.search(r"[^!-~]", uri)


def check_github(said: str, diagnoses: list[Diagnosis]) -> None:
    assert not CONTROL.search(said)
    rows = iter(said.splitlines())
    assert len(said.splitlines()) == said.count("\n")
    for diagnosis in diagnoses:
        assert next(rows).startswith("xladoctor: ")
        words = ["error"] * len(diagnosis.problems)
        words += [{"error": "error", "warning": "warning"}.get(f.level, "notice") for f in diagnosis.findings]
        for word in words:
            found = re.fullmatch(r"::(\w+) ((?:\w+=[^,:]*)(?:,\w+=[^,:]*)*)::.+", next(rows))
            assert found and found[1] == word and len(found[0]) < 9000
            assert {part.split("=")[0] for part in found[2].split(",")} <= {"file", "line", "title"}
    assert not list(rows)
    # The runner obeys `##[` anywhere in a line that is no command.
    assert not [row for row in said.splitlines() if "##[" in row and not row.startswith("::")]


def check_junit(said: str, diagnoses: list[Diagnosis]) -> None:
    assert not CONTROL.search(said)
    root = ElementTree.fromstring(said.encode())
    suites = root.findall("testsuite")
    assert root.tag == "testsuites" and len(suites) == len(diagnoses)
    assert int(root.attrib["failures"]) == sum(int(suite.attrib["failures"]) for suite in suites)
    for suite, diagnosis in zip(suites, diagnoses, strict=True):
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases) == max(len(diagnosis.findings) + len(diagnosis.problems), 1)
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert len(suite.findall("testcase/failure")) == sum(f.level == "error" for f in diagnosis.findings)
        assert int(suite.attrib["errors"]) == len(suite.findall("testcase/error")) == len(diagnosis.problems)
        assert {child.tag for case in cases for child in case} <= {"failure", "error", "system-out"}


def check_jsonl(said: str, diagnoses: list[Diagnosis]) -> None:
    assert said.isascii() and not CONTROL.search(said)
    records = [json.loads(row) for row in said.splitlines()]
    assert {record["schema"] for record in records} <= {"xladoctor.jsonl/1"}
    heads = [record for record in records if record["record"] == "diagnosis"]
    for head, diagnosis in zip(heads, diagnoses, strict=True):
        assert head["records"]["findings"] == len(diagnosis.findings)
    assert sum(sum(head["records"].values()) for head in heads) + len(heads) == len(records)
    wanted = [found for diagnosis in diagnoses for found in json_.to_dict(diagnosis)["findings"]]
    got = [record for record in records if record["record"] == "finding"]
    assert [{k: v for k, v in one.items() if k not in ("schema", "record", "of")} for one in got] == wanted


def check_csv(said: str, diagnoses: list[Diagnosis]) -> None:
    assert not CONTROL.search(said.replace("\t", ""))
    rows = list(csv.reader(io.StringIO(said)))
    assert rows[0] == list(csv_.HEADS) and {len(row) for row in rows} == {len(csv_.HEADS)}
    assert len(rows) == 1 + sum(max(len(diagnosis.findings), 1) for diagnosis in diagnoses)
    assert not [cell for row in rows for cell in row if re.match(r"[=+@\uff1d]|-(?!\d+$)", cell)]
    assert len(said.splitlines()) == said.count("\n")


def check_gitlab(said: str, diagnoses: list[Diagnosis]) -> None:
    issues = json.loads(said)
    assert len(issues) == sum(len(d.findings) + len(d.problems) for d in diagnoses) and said.isascii()
    for issue in issues:
        assert issue.keys() == {"check_name", "severity", "description", "location", "fingerprint"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["path"] and issue["location"]["lines"]["begin"] >= 1
        assert not CONTROL.search(issue["description"]) and re.fullmatch(r"[0-9a-f]{40}", issue["fingerprint"])
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def check_text(said: str, diagnoses: list[Diagnosis]) -> None:
    # What else these promise is in the tests of their own.
    assert said.endswith("\n") and not CONTROL.search(said)


def check_html(said: str, diagnoses: list[Diagnosis]) -> None:
    page = words(check_page(said))
    for diagnosis in diagnoses:
        for found in diagnosis.findings:
            assert " ".join(line(found.title).translate({0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}).split()) in page


CHECKS: dict[str, Callable[[str, list[Diagnosis]], None]] = {
    "console": check_text,
    "markdown": check_text,
    "json": check_text,
    "html": check_html,
    "sarif": check_sarif,
    "github": check_github,
    "junit": check_junit,
    "jsonl": check_jsonl,
    "csv": check_csv,
    "gitlab": check_gitlab,
}


def test_every_format_has_its_check():
    assert set(CHECKS) == set(FORMATS)


@pytest.mark.parametrize("format", FORMATS)
def test_every_renderer_with_every_kind(format):
    for kind in KINDS.values():
        CHECKS[format](render(kind, format), [kind])


@pytest.mark.parametrize("format", MANY)
def test_many_in_one(format):
    diagnoses = list(KINDS.values())
    CHECKS[format](render_many(diagnoses, format), diagnoses)
    CHECKS[format](render_many([], format), [])


@pytest.mark.parametrize("format", MANY)
def test_each_field_alone_hostile(format):
    for path in PATHS.values():
        for text in (EVIL, SLY):
            diagnosis = put(FULL, path, text)
            CHECKS[format](render(diagnosis, format), [diagnosis])


def test_a_format_for_one_takes_no_more():
    with pytest.raises(ValueError, match="'console' does not hold several diagnoses; these do: sarif, github"):
        render_many([samples.LOUD], "console")


# What the formats say, and not only that they are well-formed. -----------------------------------------------------


def test_sarif_points_at_the_users_line_and_carries_the_knowledge():
    [run] = json.loads(render(samples.LOUD, "sarif"))["runs"]
    root = run["results"][0]
    assert root["ruleId"] == "XD309" and root["level"] == "error"
    physical = root["locations"][0]["physicalLocation"]
    assert physical == {
        "artifactLocation": {"uri": f"file://{samples.LAYERS}"},
        "region": {"startLine": 171},
    }
    assert root["locations"][0]["logicalLocations"] == [{"name": "call", "kind": "function"}]
    assert [p["physicalLocation"]["region"]["startLine"] for p in root["relatedLocations"]] == [812, 3]
    assert root["properties"]["remedies"][1]["result"] == "verified"
    rule = run["tool"]["driver"]["rules"][0]
    [known] = [r for r in all_rules() if r.code == "XD309"]
    assert rule["fullDescription"]["text"].startswith(known.what[:40])
    assert known.tell_apart[:30] in rule["help"]["text"]


def test_sarif_points_into_the_log_where_no_line_of_the_user_is_known():
    [run] = json.loads(render(KINDS["no location"], "sarif"))["runs"]
    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "a.log", "uriBaseId": "%SRCROOT%"}
    assert physical["region"] == {"startLine": 7}
    assert "locations" not in json.loads(render(KINDS["nowhere"], "sarif"))["runs"][0]["results"][0]


def test_the_fingerprint_outlives_sizes_and_lines():
    def mark(said: Finding) -> str:
        diagnosis = Diagnosis("a.log", "failed", (said,))
        return json.loads(render(diagnosis, "sarif"))["runs"][0]["results"][0]["partialFingerprints"]["xladoctor/v1"]

    one = finding(op="Reshape", location=Location("a.py", 3, "f"), dims=(6, 4))
    assert mark(one) == mark(replace(one, dims=(8, 4), location=Location("a.py", 9, "f")))
    assert mark(one) != mark(replace(one, op="Mul"))
    assert mark(one) != mark(replace(one, location=Location("a.py", 3, "g")))


def test_uris():
    run = json.loads(render(KINDS["odd places"], "sarif"))["runs"][0]
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
    assert uris[:3] == ["file:///C:/runs/a%20b.py", "src/%C3%A4%20%2520.py", "file:///server/x.py"]
    assert uris[3:5] == ["%3Cstring%3E", "unknown"]


def test_github_says_what_to_do_and_where():
    said = render(samples.LOUD, "github").splitlines()
    assert said[0] == f"xladoctor: FAILED  {samples.LOUD.source}"
    assert said[1].startswith(f"::error file={samples.LAYERS},line=171,title=XD309 contract-violation%3A Reassemble")
    assert "%0A- Stay below the threshold: batch_size 15 (slower, verified)" in said[1]
    assert render(samples.HEALTHY, "github") == "xladoctor: HEALTHY  train.log\n"


def test_junit_fails_on_errors_only():
    root = ElementTree.fromstring(render(samples.LOUD, "junit").encode())
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None and failure.get("type") == "XD309 contract-violation"
    assert "remedy small-batch (slower, verified)" in (failure.text or "")
    warning = replace(samples.LOUD, findings=(replace(samples.ROOT, level="warning"),))
    assert ElementTree.fromstring(render(warning, "junit").encode()).attrib["failures"] == "0"


def test_csv_has_a_row_for_a_source_without_findings():
    rows = list(csv.DictReader(io.StringIO(render_many([samples.HEALTHY, samples.LOUD], "csv"))))
    assert [(row["xladoctor_finding"], row["verdict"], row["code"]) for row in rows] == [
        ("0", "healthy", ""),
        ("1", "failed", "XD309"),
        ("2", "failed", "XD301"),
    ]
    assert rows[2]["dims"] == "778752 24336" and rows[2]["seen_at"].startswith("stderr.log:214 ")


def test_jsonl_holds_the_whole_diagnosis():
    records = [json.loads(row) for row in render(FULL, "jsonl").splitlines()]
    data = json_.to_dict(FULL)
    keys = {"findings": "finding", "hypotheses": "hypothesis", "settings": "setting", "shapes": "shape"}
    for key, kind in keys.items():
        got = [r for r in records if r["record"] == kind]
        assert [{k: v for k, v in r.items() if k not in ("schema", "record", "of")} for r in got] == data[key]
    assert records[0]["environment"] == data["environment"] and records[0]["notes"] == data["notes"]


def test_gitlab_sees_a_finding_again_whatever_its_numbers_are():
    """The fingerprint decides whether a merge request brought a finding, so it holds no sizes; line and class count."""

    def fingerprint(message: str, line: int = 3) -> str:
        found = Finding(
            "XD301", "reshape-mismatch", "error", "root", "A title", message, location=Location("a.py", line)
        )
        [issue] = json.loads(render(Diagnosis("a.log", "failed", (found,)), "gitlab"))
        return issue["fingerprint"]

    assert fingerprint("128 rows of 78") == fingerprint("64 rows of 12")
    assert len({fingerprint("128 rows"), fingerprint("128 columns"), fingerprint("128 rows", 4)}) == 3


def test_a_gitlab_report_is_known_as_ours(tmp_path):
    from xladoctor.cli.output import Output

    file = tmp_path / "gl.codequality.json"
    for diagnosis in (samples.LOUD, samples.HEALTHY, samples.LOUD):
        output = Output.of(None, file)
        assert output.format == "gitlab"
        output.write(render(diagnosis, output.format))
