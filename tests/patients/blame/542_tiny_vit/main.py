import numpy as np

from settings import ViTSettings
from vit import build

s = ViTSettings()
model = build(s)
model.compile("adam", "sparse_categorical_crossentropy")
rng = np.random.default_rng(0)
x = rng.random((16, s.image, s.image, 3), dtype=np.float32)
y = rng.integers(0, s.classes, 16)
model.fit(x, y, batch_size=8, epochs=1, verbose=2)
