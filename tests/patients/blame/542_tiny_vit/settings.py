from dataclasses import dataclass


@dataclass
class ViTSettings:
    image: int = 16
    patch: int = 4
    dim: int = 16
    heads: int = 2
    depth: int = 2
    classes: int = 5

    @property
    def n_patches(self):
        return self.image // self.patch
