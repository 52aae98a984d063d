"""Typed access to settings."""
import json
from dataclasses import dataclass


class ConfigError(Exception):
    pass


@dataclass
class Config:
    units: list
    activation: str
    optimizer: str
    lr: float


def number(section, key, tree):
    try:
        return float(tree[section][key])
    except (KeyError, ValueError) as error:
        raise ConfigError(f"bad setting {section}.{key}") from error


def load(text):
    tree = json.loads(text)
    return Config(tree["model"]["units"], tree["model"]["activation"],
                  tree["optimizer"]["name"], number("optimizer", "learning_rate", tree))
