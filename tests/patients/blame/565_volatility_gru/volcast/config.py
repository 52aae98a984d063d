from dataclasses import dataclass, field


@dataclass
class DataConfig:
    assets: tuple = ("EQ1", "EQ2", "FX1", "BD1")
    days: int = 420
    seed: int = 12


@dataclass
class ModelConfig:
    lookback: int = 22
    horizon: int = 5
    units: int = 24
    dropout: float = 0.1


@dataclass
class Config:
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    batch: int = 32
    epochs: int = 2
    lr: float = 3e-3
    test_days: int = 80
