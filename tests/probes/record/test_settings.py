"""The settings recorder: deciding reads and writes, and nothing of ours in the user's files. No TensorFlow here."""

from __future__ import annotations

from tests.probes.record.running import run_program

PARAMS = {
    "ptycho/__init__.py": "",
    "ptycho/params.py": """
cfg = {"N": 64, "gridsize": 2, "use_xla_translate": True}
def get(key):
    return cfg[key]
def ensure_defaults(defaults):
    for key, value in defaults.items():
        if key not in cfg:
            cfg[key] = value
    return dict(cfg), list(cfg.items()), {**cfg}
""",
}


def test_a_write_and_a_read_name_the_line_of_the_caller_not_of_the_accessor(tmp_path):
    ran = run_program(
        tmp_path,
        "from ptycho import params\nparams.cfg['use_xla_translate'] = False\nprint(params.get('use_xla_translate'))\n",
        files=PARAMS,
    )
    assert (ran.status, ran.stdout) == (0, "False\n")
    events = [e for e in ran.of("setting") if e["key"] == "use_xla_translate"]
    assert [(e["action"], e["value"]) for e in events] == [
        ("default", True),
        ("write", False),
        ("read", False),
    ]
    assert [(e["where"]["file"].rpartition("/")[2], e["where"]["line"]) for e in events[1:]] == [
        ("program.py", 2),
        ("program.py", 3),
    ]


def test_membership_iteration_and_copies_are_not_deciding(tmp_path):
    ran = run_program(
        tmp_path,
        """
import os, copy
from ptycho import params
params.ensure_defaults({"N": 1, "gridsize": 1})
"N" in params.cfg; list(params.cfg); params.cfg.copy(); copy.copy(params.cfg); copy.deepcopy(params.cfg)
"TF_XLA_FLAGS" in os.environ; list(os.environ.items()); dict(os.environ); os.environ.copy(); {**os.environ}
""",
        files=PARAMS,
        env={"TF_XLA_FLAGS": "--tf_xla_auto_jit=0"},
    )
    assert ran.status == 0, ran.stderr
    assert ran.settings("N", "read") == []
    assert ran.settings("TF_XLA_FLAGS", "read") == []


def test_every_way_of_reading_one_variable_is_recorded(tmp_path):
    ran = run_program(
        tmp_path,
        """
import os
os.environ["TF_XLA_FLAGS"]
os.environ.get("TF_XLA_FLAGS")
os.getenv("TF_XLA_FLAGS")
os.environ.get("USE_XLA_TRANSLATE", "")
os.environ.pop("TF_XLA_FLAGS")
os.environ["USE_XLA_TRANSLATE"] = "0"
""",
        env={"TF_XLA_FLAGS": "--x"},
    )
    assert ran.status == 0, ran.stderr
    reads = [e["where"]["line"] for e in ran.of("setting") if e["key"] == "TF_XLA_FLAGS" and e["action"] == "read"]
    assert reads == [3, 4, 5, 7]
    assert ran.settings("TF_XLA_FLAGS", "delete") == [("delete", None)]
    assert ran.settings("USE_XLA_TRANSLATE") == [("read", None), ("write", "0")]


def test_modules_that_imported_the_dict_by_name_hold_the_recorded_one(tmp_path):
    ran = run_program(
        tmp_path,
        "from ptycho.params import cfg\nimport helper\nhelper.decide()\ncfg['gridsize'] = 3\n",
        files={
            **PARAMS,
            "helper.py": "from ptycho.params import cfg\ndef decide():\n    return cfg['gridsize']\n",
        },
    )
    assert ran.settings("gridsize", "read", "write") == [("read", 2), ("write", 3)]


def test_copies_unions_and_pickles_are_plain_dicts(tmp_path):
    ran = run_program(
        tmp_path,
        """
import copy, json, pickle
from ptycho.params import cfg
kinds = [type(x) for x in (cfg.copy(), copy.copy(cfg), copy.deepcopy(cfg), cfg | {}, {} | cfg,
                           pickle.loads(pickle.dumps(cfg)))]
assert set(kinds) == {dict}, kinds
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    assert b"xladoctor" not in pickle.dumps(cfg, protocol)
assert json.loads(json.dumps(cfg)) == {"N": 64, "gridsize": 2, "use_xla_translate": True}
assert isinstance(cfg, dict) and cfg == {"N": 64, "gridsize": 2, "use_xla_translate": True}
cfg |= {"N": 32}; cfg.update(gridsize=1); cfg.setdefault("new", 5); cfg.pop("new"); del cfg["N"]
assert cfg == {"gridsize": 1, "use_xla_translate": True}
""",
        files=PARAMS,
    )
    assert ran.status == 0, ran.stderr
    assert ran.settings("new") == [("write", 5), ("read", 5), ("delete", None)]


def test_secrets_are_never_written(tmp_path):
    ran = run_program(
        tmp_path,
        "import os\nos.environ['PTYCHO_API_KEY'] = 'hunter2hunter2'\nos.environ.get('PTYCHO_URL')\n",
        env={"PTYCHO_API_KEY": "hunter1hunter1", "PTYCHO_URL": "https://me:hunter3@example.org/x"},
    )
    written = "".join(f.read_text() for f in ran.folder.glob("events-*"))
    assert "hunter" not in written
    assert "<redacted>" in written


def test_probes_can_be_switched_off_and_leave_nothing(tmp_path):
    ran = run_program(
        tmp_path,
        "from ptycho import params\nprint(type(params.cfg).__name__)\n",
        files=PARAMS,
        env={"XLADOCTOR_PROBES": "0"},
    )
    assert (ran.stdout, ran.events) == ("dict\n", [])


def test_a_sitecustomize_of_the_users_runs_too(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import builtins\nbuiltins.mine = 'hello'\n")
    ran = run_program(tmp_path, "print(mine)\n", env={"PYTHONPATH": str(site)})
    assert ran.stdout == "hello\n", ran.stderr
    assert ran.of("start")


def test_a_folder_that_is_gone_costs_the_target_nothing(tmp_path):
    ran = run_program(tmp_path, "print('ran')\n", env={"XLADOCTOR_RUN_DIR": "/nonexistent"})
    assert (ran.status, ran.stdout) == (0, "ran\n")


def test_children_and_forks_write_files_of_their_own(tmp_path):
    ran = run_program(
        tmp_path,
        """
import os, subprocess, sys
subprocess.run([sys.executable, "-c", "import os; os.environ.get('TF_XLA_FLAGS')"], check=True)
pid = os.fork()
if pid == 0:
    os.environ["TF_XLA_FLAGS"] = "--forked"
    os._exit(0)
os.waitpid(pid, 0)
""",
    )
    assert ran.status == 0, ran.stderr
    files = list(ran.folder.glob("events-*.jsonl"))
    assert len(files) == 3
    assert ran.settings("TF_XLA_FLAGS", "write") == [("write", "--forked")]


FAKE = {
    "site-packages/keras/__init__.py": "",
    "site-packages/keras/config.py": """
import os
HOME = "~"
if "KERAS_HOME" in os.environ:
    HOME = os.environ["KERAS_HOME"]
BACKEND = os.environ.get("KERAS_BACKEND", "tensorflow")
os.environ["KERAS_MADE"] = "1"
EVERYTHING = dict(os.environ), os.environ.copy(), os.environ.get("PATH")
def epochs():
    return os.environ.get("KERAS_MAX_EPOCHS")
""",
}


def test_a_variable_that_is_set_after_the_import_that_asked_for_it_says_who_asked(tmp_path):
    ran = run_program(
        tmp_path,
        """
import os, sys
sys.path.insert(0, os.path.join(os.getcwd(), "site-packages"))
from keras import config
config.epochs()
os.environ["KERAS_HOME"] = "/somewhere"
os.environ.update(KERAS_BACKEND="jax", KERAS_MAX_EPOCHS="2", PATH="/bin", KERAS_MADE="2")
os.environ["KERAS_BACKEND"] = "torch"
print(config.BACKEND, os.environ.get("KERAS_HOME"))
""",
        files=FAKE,
        env={"KERAS_BACKEND": "torch"},
    )
    assert ran.status == 0, ran.stderr
    writes = [(e["key"], e["where"]["line"], e.get("asked")) for e in ran.of("setting") if e["action"] == "write"]
    told = {
        (key, line): (asked["module"], asked["line"], asked["set"], asked["same"])
        for key, line, asked in writes
        if asked
    }
    assert told == {
        ("KERAS_HOME", 6): ("keras.config", 4, False, False),
        ("KERAS_BACKEND", 7): ("keras.config", 6, True, False),
        ("KERAS_BACKEND", 8): ("keras.config", 6, True, True),
    }
    assert ("read", "(a text)") in ran.settings("KERAS_HOME"), "it is seen who asks afterwards"


LAYERS = {
    "site-packages/keras/__init__.py": "",
    "site-packages/keras/src/__init__.py": "",
    "site-packages/keras/src/backend/__init__.py": "",
    "site-packages/keras/src/backend/common/__init__.py": "",
    "site-packages/keras/src/backend/common/global_state.py": "def set_global_attribute(name, value): pass\n",
    "site-packages/keras/src/backend/config.py": "def set_floatx(value): pass\nset_floatx('float32')\n",
    "site-packages/keras/config.py": """
from keras.src.backend.common import global_state
from keras.src.backend.config import set_floatx
def set_dtype_policy(policy):
    global_state.set_global_attribute("dtype_policy", policy)
    global_state.set_global_attribute("seed", 1)
def dtype_policy():
    set_dtype_policy("float32")
""",
}


def test_what_the_program_sets_of_keras_is_recorded_and_what_keras_sets_is_not(tmp_path):
    ran = run_program(
        tmp_path,
        """
import os, sys
sys.path.insert(0, os.path.join(os.getcwd(), "site-packages"))
from keras.config import dtype_policy, set_dtype_policy, set_floatx
dtype_policy()
set_floatx("float64")
set_dtype_policy("mixed_float16")
""",
        files=LAYERS,
    )
    assert ran.status == 0, ran.stderr
    assert [(e["key"], e["value"], e["where"]["line"]) for e in ran.of("setting") if e["store"] == "keras"] == [
        ("floatx", "float64", 6),
        ("dtype_policy", "mixed_float16", 7),
    ]
