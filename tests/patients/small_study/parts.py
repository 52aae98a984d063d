"""A part with a contract in pyproject.toml."""


def kept(x):
    """Should keep the columns, and drops one."""
    return x[:, :3]
