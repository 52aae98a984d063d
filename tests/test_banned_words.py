import json

from tests.banned_words import ALLOWED, compared, count, main, texts


def test_no_phrase_is_new():
    assert compared(count(texts()), json.loads(ALLOWED.read_text()))[0] == []


def test_a_new_phrase_is_found_also_over_a_line_break():
    found = count([("docs/x.md", "It goes\nby the name, and Goes by another.")])
    new, gone = compared(found, {"goes by": {"docs/x.md": 1}})
    assert new == ["docs/x.md: 'goes by' stands here 2 times, 1 allowed (docs/glossary.md)"]
    assert gone == []


def test_a_phrase_that_is_gone_must_leave_the_list():
    assert compared({}, {"goes by": {"docs/x.md": 1}}) == (
        [],
        ["docs/x.md: 'goes by' stands here 0 times, and 1 are listed"],
    )


def test_the_list_never_grows(tmp_path, monkeypatch):
    listed = tmp_path / "list.json"
    listed.write_text("{}")
    monkeypatch.setattr("tests.banned_words.ALLOWED", listed)
    monkeypatch.setattr("tests.banned_words.texts", lambda: [("docs/x.md", "in vain")])
    assert main(["--write"]) == 1
    assert listed.read_text() == "{}"
