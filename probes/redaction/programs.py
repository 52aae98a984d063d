"""What the short options of programs mean, as far as secrets go."""

from __future__ import annotations

from typing import TYPE_CHECKING

# What an option takes: a secret; a secret only where it is attached (`-pX`); `user:password`, `user%password`; a
# command line; code; nothing secret; any of these, by what it looks like.
SECRET, ATTACHED, LOGIN, PERCENT = "secret", "attached", "login", "percent"
SHELL, CODE, PLAIN, ANY = "shell", "code", "plain", "any"

if TYPE_CHECKING:
    Options = dict[str, str]
else:
    Options = dict  # Python 3.8 has no dict[str, str] at run time
_NONE: Options = dict.fromkeys(("-p", "-u", "-U", "-a", "-k", "-t", "-P", "-w"), PLAIN)

_KNOWN: tuple[tuple[str, Options], ...] = (
    (
        "mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlsh mariadb mariadb-dump 7z 7za 7zz rar unrar",
        {**_NONE, "-p": ATTACHED},
    ),
    (
        "mongo mongosh mongodump mongorestore mongoimport mongoexport twine az cqlsh rabbitmqadmin influx",
        {"-p": SECRET, "-u": PLAIN},
    ),
    ("curl", {**_NONE, "-u": LOGIN, "-U": LOGIN}),
    ("http https xh", {"-a": LOGIN, "-p": PLAIN}),
    ("sshpass", {"-p": SECRET, "-P": PLAIN}),
    ("docker podman nerdctl skopeo buildah oras helm", {**_NONE, "-p": ANY, "--user": PLAIN}),
    ("redis-cli", {"-a": SECRET, "-p": PLAIN, "-u": PLAIN}),
    ("ldapsearch ldapadd ldapmodify ldapwhoami ldappasswd ldapdelete", {"-w": SECRET, "-p": PLAIN}),
    ("sqlcmd bcp zip unzip mosquitto_pub mosquitto_sub ipmitool isql", {**_NONE, "-P": SECRET}),
    ("smbclient rpcclient net smbget", {"-U": PERCENT, "-p": PLAIN}),
    ("openssl", dict.fromkeys(("-passin", "-passout", "-pass", "-k", "-K"), SECRET)),
    ("bash sh zsh dash ksh ash fish", {**_NONE, "-c": SHELL}),
    (
        "psql pg_dump pg_restore createdb pgbench scp sftp mkdir cp mv rm find gcc cc clang g++ nc ncat rsync git "
        "pytest pip make id sort tar ls grep cat tail head top ps kill chmod touch install jupyter tensorboard lsof",
        _NONE,
    ),
    ("srun sbatch salloc", {"-p": PLAIN}),
)
PROGRAMS: dict[str, Options] = {name: options for names, options in _KNOWN for name in names.split()}
PYTHON: Options = {"-c": CODE}
SCRIPT: Options = {}
