from dataclasses import dataclass, field


@dataclass
class Settings:
    window: int = 100
    stride: int = 50
    channels: tuple = ("acc_x", "acc_y", "acc_z", "gyr_x", "gyr_y", "gyr_z")
    phases: int = 4
    units: int = 16
    batch: int = 32
    noise: float = 0.05
    subjects: list = field(default_factory=lambda: [3, 7, 12])

    @property
    def width(self):
        return len(self.channels)
