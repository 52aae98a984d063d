import configparser
from types import SimpleNamespace


def _convert(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_options(path):
    parser = configparser.ConfigParser()
    if not parser.read(path):
        raise FileNotFoundError(path)
    return SimpleNamespace(**{
        name: SimpleNamespace(**{k: _convert(v) for k, v in parser[name].items()})
        for name in parser.sections()
    })
