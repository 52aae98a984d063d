import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import List


@dataclass
class Settings:
    sample_rate: int
    clip_seconds: float
    win: int
    hop: int
    n_mels: int
    keywords: List[str]
    n_clips: int
    batch_size: int
    epochs: int
    lr: float
    seed: int = 0

    @property
    def n_samples(self) -> int:
        return int(self.sample_rate * self.clip_seconds)

    @property
    def n_frames(self) -> int:
        return self.n_samples // self.hop

    @property
    def n_classes(self) -> int:
        return len(self.keywords)

    @classmethod
    def load(cls, path):
        raw = json.loads(Path(path).read_text())
        known = {f.name for f in fields(cls)}
        unknown = set(raw) - known
        if unknown:
            raise KeyError(f"unknown settings: {sorted(unknown)}")
        return cls(**raw)
