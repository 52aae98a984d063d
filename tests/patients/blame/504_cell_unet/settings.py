from dataclasses import dataclass


@dataclass
class Config:
    side: int = 100
    channels: int = 1
    base_filters: int = 4
    depth: int = 3
    batch: int = 4
    lr: float = 1e-3
