"""Secrets in forms of random structure: any name, spelling, quoting and nesting, a secret of any alphabet.

They show what the grammar does to forms that nobody wrote down. Nothing here reads the grammar.
"""

from __future__ import annotations

import json
import random
import shlex
import string
from collections.abc import Callable

from benchmarks._secrets.corpus import Case

_CORES = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "api_key",
    "access_token",
    "auth_token",
    "secret_key",
    "private_key",
    "credentials",
    "access_key",
    "client_secret",
    "pw",
    "pass",
]
_BEFORE = ("", "", "", "db", "wandb", "aws", "my", "study", "remote", "tf", "smtp", "admin", "mlflow", "s3", "registry")
_PROGRAMS = ("python train.py", "python -m ptycho.train", "./run.sh", "torchrun --nproc_per_node=2 train.py", "train")
_PLAIN = ("--epochs 3", "--lr=0.1", "-v", "data.npz", "--name night", "")
_ALPHABETS = (
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits + "!#%^*_+-.~",
    string.ascii_letters + string.digits + "@$&/=?:,;()[]|",
    string.ascii_lowercase + string.digits,
    string.hexdigits[:16],
    string.ascii_letters + string.digits + "+/",
)


def secret(pick: random.Random) -> str:
    """Eight to forty characters, of which one is a letter, one a digit, and the first and the last no sign."""
    alphabet = pick.choice(_ALPHABETS)
    inside = "".join(pick.choices(alphabet, k=pick.randrange(5, 37)))
    ends = [c for c in alphabet if c.isalnum()]
    letter = pick.choice([c for c in alphabet if c.isalpha()])
    return pick.choice(ends) + letter + inside + pick.choice([c for c in alphabet if c.isdigit()])


def name(pick: random.Random) -> str:
    """A name for a secret in one of the usual spellings."""
    words = [word for word in (*pick.choice(_BEFORE).split("_"), *pick.choice(_CORES).split("_")) if word]
    spelling = pick.randrange(6)
    if spelling == 0:
        return "_".join(words)
    if spelling == 1:
        return "_".join(words).upper()
    if spelling == 2:
        return "-".join(words)
    if spelling == 3:
        return words[0] + "".join(word.capitalize() for word in words[1:])
    if spelling == 4:
        return "".join(word.capitalize() for word in words)
    return ".".join((words[0], "_".join(words[1:]))) if len(words) > 1 else words[0]


def _option(pick: random.Random, value: str) -> list[str]:
    option = "--" + name(pick)
    return [f"{option}={value}"] if pick.random() < 0.5 else [option, value]


def _nested(pick: random.Random, value: str) -> object:
    """A mapping with the secret some levels down."""
    inner: object = {"user": "ada", name(pick): value} if pick.random() < 0.5 else {name(pick): value, "port": 5432}
    for _ in range(pick.randrange(3)):
        inner = {pick.choice(("db", "store", "remote")): inner} if pick.random() < 0.7 else {"items": [inner, 3]}
    return inner


def _url(pick: random.Random, value: str) -> str:
    safe = "".join(c for c in value if c.isalnum() or c in "!*_+-.~")
    kind = pick.randrange(3)
    if kind == 0:
        return f"{pick.choice(('https', 'postgres', 'redis', 'amqp', 'mongodb+srv'))}://ada:{safe}@host.example.org/x"
    if kind == 1:
        return f"https://host.example.org/x?page=2&{name(pick)}={safe}&n=1"
    return f"https://host.example.org/x?{name(pick)}={safe}"


def _words(pick: random.Random, value: str) -> list[str]:
    """The part of a command line that has the secret."""
    identifier = name(pick).replace("-", "_").replace(".", "_")
    makers: tuple[Callable[[], list[str]], ...] = (
        lambda: _option(pick, value),
        lambda: _option(pick, value),
        lambda: [f"{name(pick)}={value}"],
        lambda: ["--config", json.dumps(_nested(pick, value))],
        lambda: ["--override", str(_nested(pick, value))],
        lambda: ["--set", f"{name(pick)}={value}"],
        lambda: ["--url", _url(pick, value)],
        lambda: [pick.choice(("-u", "--user", "--login")), f"ada:{value}"],
        lambda: ["--header", f"Authorization: {pick.choice(('Bearer', 'Basic', 'Token'))} {_token(value)}"],
        lambda: ["-H", f"X-{name(pick).replace('_', '-').replace('.', '-')}: {_token(value)}"],
        lambda: ["-e", f"{identifier.upper()}={value}"],
        lambda: [f'+{name(pick)}="{value}"'],
    )
    return pick.choice(makers)()


def _token(value: str) -> str:
    return "".join(c for c in value if c.isalnum() or c in "-._~+/")


def _code(pick: random.Random, value: str) -> str:
    identifier = name(pick).replace("-", "_").replace(".", "_")
    quoted = pick.choice((repr(value), json.dumps(value)))
    return pick.choice(
        (
            f"{identifier} = {quoted}",
            f"connect('host', user='ada', {identifier}={quoted})",
            f"import os; os.environ['{identifier.upper()}'] = {quoted}; import train",
            f"cfg = {{'{identifier}': {quoted}, 'n': 3}}",
            f"x.{identifier}={quoted}; run(x)",
        )
    )


def _text(pick: random.Random, value: str) -> str:
    return pick.choice(
        (
            lambda: f"INFO 10:15:00 request {json.dumps(_nested(pick, value))} failed",
            lambda: f"ValueError: cannot use {_nested(pick, value)}",
            lambda: f"retry 3 of {_url(pick, value)} (timeout)",
            lambda: f"db:\n  user: ada\n  {name(pick)}: {value}\n  port: 5432",
            lambda: f"export {name(pick).replace('-', '_').replace('.', '_').upper()}={shlex.quote(value)}",
            lambda: f'{name(pick)} = "{value}"',
            lambda: _code(pick, value),
            lambda: f"> Authorization: Bearer {_token(value)}\n> Accept: */*",
        )
    )()


def _command(pick: random.Random, value: str) -> list[str]:
    words = shlex.split(pick.choice(_PROGRAMS))
    code = pick.random() < 0.15
    words = ["python", "-c", _code(pick, value)] if code else [*words, *_words(pick, value)]
    words += shlex.split(pick.choice(_PLAIN))
    for _ in range(pick.choice((0, 0, 0, 1, 1, 2))):
        outer = pick.choice((["bash", "-c"], ["sh", "-c"], ["ssh", "node7"], ["srun", "bash", "-lc"]))
        words = [*outer, " ".join(map(shlex.quote, words))]
    if pick.random() < 0.1:
        words = ["env", f"{name(pick).replace('-', '_').replace('.', '_').upper()}={value}", *words]
    return words


def case(pick: random.Random) -> Case:
    """One secret in a form of random structure."""
    while True:
        value = secret(pick)
        kind = pick.choice(("argv", "argv", "argv", "text", "text", "env", "key"))
        if kind == "argv":
            words = _command(pick, value)
        elif kind == "text":
            words = [_text(pick, value)]
        elif kind == "env":
            words = [name(pick).replace("-", "_").replace(".", "_").upper(), value]
        else:
            words = [name(pick), value]
        # A form may leave out characters of a secret that it cannot carry, or write them otherwise.
        carried = next((v for v in _forms(value) if any(v in word for word in words)), None)
        if carried is not None and len(carried) >= 6:
            return Case(kind, " ".join(words), tuple(words), (carried,))


def _forms(value: str) -> tuple[str, ...]:
    return (value, _token(value), "".join(c for c in value if c.isalnum() or c in "!*_+-.~"))


# -- ordinary ---------------------------------------------------------------------------------------------------------

_NOUNS = (
    "batch epoch layer token key user session code pass seed node rank kernel shard image label mask probe object scan "
    "query value attention head step loss weight model data cache digest hash commit run worker device signature author"
)
_QUALITIES = (
    "size count dim name path type mode rate index length num max min width file dir shape dtype policy version id"
)


def ordinary_name(pick: random.Random) -> str:
    """A name of an ordinary setting, as often as not with a word of secrets in it."""
    words = [pick.choice(_NOUNS.split()), pick.choice(_QUALITIES.split())]
    words = words[::-1] if words[1] in ("num", "max", "min") else words
    return pick.choice(("_", "-", ".")).join(words)


def ordinary_value(pick: random.Random) -> str:
    """A number, a word, a path, a shape, a digest, a time."""
    word = pick.choice(_NOUNS.split())
    number = pick.randrange(1, 4096)
    return pick.choice(
        (
            str(number), f"{pick.random():.4f}", f"1e-{pick.randrange(1, 9)}", word, f"{word}_{pick.randrange(99)}",
            f"data/{word}/{number}.npz", f"/scratch/ada/{word}-{number}", f"[{number}, 64, 64, 4]", "true", "float32",
            f"{word}-{pick.choice(_NOUNS.split())}", f"v{pick.randrange(9)}.{pick.randrange(20)}", f"{number}:{number}",
            "".join(pick.choices("0123456789abcdef", k=40)), f"2026-01-{pick.randrange(10, 28)}T10:15:00",
        )
    )  # fmt: skip


def ordinary(pick: random.Random) -> Case:
    """An ordinary command line, variable, setting or line of a log, of random structure."""
    name, value = ordinary_name(pick), ordinary_value(pick)
    kind = pick.choice(("argv", "argv", "text", "text", "env", "key"))
    if kind == "argv":
        option = pick.choice(
            ([f"--{name}", value], [f"--{name}={value}"], [f"{name}={value}"], ["-p", str(len(value))])
        )
        words = [*shlex.split(pick.choice(_PROGRAMS)), *option, *shlex.split(pick.choice(_PLAIN))]
        if pick.random() < 0.3:
            words = ["bash", "-c", " ".join(map(shlex.quote, words))]
    elif kind == "text":
        other = ordinary_value(pick)
        words = [
            pick.choice(
                (
                    f"INFO {name}: {value}", f"{name} = {value!r}", json.dumps({name: value, "n": other}),
                    f"step 12 {name}={value} other={other}", f"ValueError: {name} must be {value}, not {other}",
                    f"  x = f({name.replace('-', '_')}={value!r})", f"{name}:\n  - {value}\n  - {other}",
                )
            )
        ]  # fmt: skip
    else:
        plain = name.replace("-", "_").replace(".", "_")
        words = [plain.upper() if kind == "env" else plain, value]
    return Case(kind, " ".join(words), tuple(words))
