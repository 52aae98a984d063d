"""A study that cannot be started is an error at once, whichever checks were asked for."""

import pytest

from xladoctor.errors import XladoctorError
from xladoctor.preflight.run import Options, preflight
from xladoctor.preflight.study import Study


@pytest.mark.parametrize(
    ("study", "said"),
    [
        ({"command": ("no-such-command-at-all", "--x")}, "no such program"),
        ({"command": ("./train.py",)}, "not an executable file"),
        ({"command": ("python", "train.py"), "python": "/no/such/python"}, "no such program"),
        ({"command": ("python", "train.py"), "environment": {"PATH": "/no/such/folder"}}, "no such program"),
    ],
)
def test_no_such_command(tmp_path, monkeypatch, study, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    with pytest.raises(XladoctorError, match=said) as error:
        preflight(Study(name="s", **study), Options(only=("disk",)))
    assert error.value.exit_code == 3 and error.value.hint
    assert not (tmp_path / "xladoctor-runs").exists()
