"""What a name says about the value under it: `TF_PASS`, `apiKey`, `--db.password`, `max_tokens`."""

from __future__ import annotations

from functools import lru_cache

from .lazy import pattern

# How sure a name makes us. The value decides the rest (`values.secret_part`).
ORDINARY = 0
LOGIN = 1  # a value `user:password` has a secret part
RANDOM = 2  # a value that looks random is secret
LIKELY = 3  # a value is secret unless it is a number, a method, a path
CERTAIN = 4

_LONGEST = 128


def among(words: str) -> frozenset[str]:
    """The words of a text, to look one up."""
    return frozenset(words.split())


_WORD = pattern(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]{1,40}|[0-9]{1,40}")

_CERTAIN = among(
    "password passwords passwd passphrase passcode passwort secret secrets credential credentials cred creds "
    "apikey pw psk userpwd userpass appkey keypass storepass mnemonic"
)
_CERTAIN_ENDS = (
    "secret",
    *("password", "passwd", "passphrase", "passcode", "apikey", "secretkey", "privatekey", "authtoken", "accesstoken"),
    *("clientsecret", "accesskey", "accountkey", "signingkey", "refreshtoken", "apitoken", "credentials"),
)
_LIKELY = among(
    "token auth authorization authentication pwd cookie cookies jwt bearer otp totp dsn sas webhook oauth "
    "requirepass sessionid phpsessid jsessionid csrf xsrf csrftoken masterauth"
)
_RANDOM = among("key keys session sid pat sig signature nonce salt code pin license licence cert credits conn")
_LOGIN = among("user username usr login account proxy logon identity principal uid")

# `key` and `token` are words of machine learning and of data bases first.
_OF_KEYS = among(
    "api access secret private account shared sharedaccess signing encryption encrypt master auth service "
    "subscription admin deploy license storage app application client consumer openai anthropic stripe wandb "
    "sendgrid hmac aes"
)
_NOT_KEYS = among(
    "sort primary foreign partition cache dict map group feature column lookup index json public host prng rng "
    "random query attention hash search order sampling step unique row data label image batch config registry hot"
)
_NOT_TOKENS = among(
    "special next start end eos bos pad mask unk cls sep image stop last first prev current new per max min num n "
    "unexpected bad invalid begin padding masked unknown out"
)
_NOT_PASSES = among(
    "forward backward first second third single multi multiple two one hlo xla mlir llvm optimization compiler "
    "num n low high band per last next all by bypass full render training test no"
)
_TOKENS_OF = among("api access auth refresh bearer id session deploy secret private user")

# A name that ends so is about a secret and holds none.
_ABOUT = among(
    "file files path paths dir folder count name names length len size policy type method mode env var field "
    "column dim expiry expires expiration ttl rate index idx position prefix suffix manager provider required "
    "enabled prompt hint through age domain jar min max limit attempts retries strength rotation endpoint host "
    "port server scheme class algorithm alg format version stdin source store location ring board timeout bits "
    "header style set reset change check validator sharing ratio ids"
)
# A name that begins so asks a question.
_QUESTION = among(
    "ask no prompt disable enable show hide require requires skip allow is has need needs forgot reset generate "
    "get load read fetch find with without"
)
# What may follow the word that decides.
_BESIDE = among(
    "value val str string text raw plain plaintext b64 base64 encoded prod production dev test staging main live "
    "old new default primary secondary base backup current env64 data parameter param opt arg input in out x y a "
    "b c eu us uat qa root admin db"
)
# A variable of such a name may have a whole value `user:password`.
_ACCOUNTS = among("user login account auth db proxy http smtp ftp imap mail remote server registry basic")


def words(name: str) -> list[str]:
    """The words of a name in any of the usual spellings, in lower case."""
    return [word.lower() for word in _WORD.findall(name[-_LONGEST:])]


@lru_cache(maxsize=4096)
def kind(name: str) -> int:
    """How sure the name alone makes us that its value is secret."""
    parts = words(name)
    if not parts or parts[0] in _QUESTION:
        return ORDINARY
    certain = _decided(parts)
    if certain or parts[-1] in _ABOUT:
        return certain
    # `DB_PASSWORD_PROD`, `API_KEY_2`: the word that decides stands before its qualifiers.
    cut = list(parts)
    while len(cut) > 1 and (cut[-1] in _BESIDE or cut[-1].isdigit()):
        cut.pop()
    if len(cut) < len(parts):
        return _decided(cut)
    return LIKELY if any(_is_password(part) for part in parts) else ORDINARY


def is_secret(name: str) -> bool:
    """Whether a name says by itself that its value is secret."""
    return kind(name) >= LIKELY


def is_account(name: str) -> bool:
    """Whether a value under this name may be `user:password`."""
    return not _ACCOUNTS.isdisjoint(words(name))


def _is_glued(word: str) -> bool:
    """`WANDBPASS`, `DBPW`: no sign tells where the last word begins."""
    return word.endswith(("pass", "pw")) and not word.endswith(("compass", "bypass", "trespass", "surpass", "erpass"))


def _is_password(word: str) -> bool:
    return word in ("passphrase", "passcode") or word.startswith("passw")


def _decided(parts: list[str]) -> int:
    last = parts[-1]
    before = parts[-2] if len(parts) > 1 else ""
    if last in _CERTAIN or last.endswith(_CERTAIN_ENDS):
        return CERTAIN
    if last == "pass":
        return ORDINARY if before in _NOT_PASSES else LIKELY
    if last in ("key", "keys"):
        if before in _OF_KEYS:
            return CERTAIN
        return ORDINARY if before in _NOT_KEYS else RANDOM
    if last == "token":
        if before in _TOKENS_OF:
            return CERTAIN
        return ORDINARY if before in _NOT_TOKENS else LIKELY
    if last == "tokens":
        return CERTAIN if before in _TOKENS_OF else ORDINARY
    if last == "string" and before == "connection":
        return CERTAIN
    if last == "id" and before in ("session", "secret"):
        return RANDOM
    if last in _LIKELY or last.endswith(("pwd", "token")) or _is_glued(last):
        return LIKELY
    if last in _RANDOM:
        return RANDOM
    return LOGIN if last in _LOGIN else ORDINARY
