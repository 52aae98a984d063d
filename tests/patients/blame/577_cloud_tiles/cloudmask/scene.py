"""In-memory replacement of a raster reader: bands first, like the file format."""
import numpy as np


class Scene:
    def __init__(self, bands, height, width, seed):
        rng = np.random.default_rng(seed)
        self.shape = (bands, height, width)
        field = self._smooth(rng.normal(size=(height, width)), 12)
        self.cloud = field > np.quantile(field, 0.7)
        ground = 800 + 300 * self._smooth(rng.normal(size=self.shape[1:]), 6)
        stack = []
        for b in range(bands):
            refl = ground * (1 + 0.1 * b) + 60 * rng.normal(size=(height, width))
            stack.append(np.where(self.cloud, 4500 - 200 * b + 200 * rng.normal(size=(height, width)), refl))
        self.data = np.clip(np.stack(stack), 0, 10000).astype("uint16")

    @staticmethod
    def _smooth(a, k):
        f = np.fft.fft2(a)
        ky, kx = np.meshgrid(np.fft.fftfreq(a.shape[0]), np.fft.fftfreq(a.shape[1]), indexing="ij")
        f *= np.exp(-(kx ** 2 + ky ** 2) * k ** 2 * 8)
        out = np.fft.ifft2(f).real
        return (out - out.mean()) / out.std()

    def read(self, window):
        r, c, h, w = window
        return self.data[:, r:r + h, c:c + w]

    def read_mask(self, window):
        r, c, h, w = window
        return self.cloud[r:r + h, c:c + w]
