from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Optim:
    rate: float = 0.05
    steps: int = 120


@dataclass(frozen=True)
class Config:
    name: str
    lags: tuple = (1, 7)
    optim: Optim = field(default_factory=Optim)

    def with_lags(self, *lags):
        return replace(self, name=f"{self.name}+{lags[-1]}", lags=self.lags + lags)


BASE = Config("weekly")
RUNS = [BASE, BASE.with_lags(14), BASE.with_lags(2, 3)]
