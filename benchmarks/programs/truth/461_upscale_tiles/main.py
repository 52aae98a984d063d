from argparse import Namespace

import keras

from blocks import upscaler
from terrain import coarsen, tiles

opts = Namespace(size=32, factor=4, tiles=48, batch=16, epochs=2, jit=True)

keras.utils.set_random_seed(9)
fine = tiles(opts.tiles, opts.size)
coarse = coarsen(fine, opts.factor)
print("coarse", coarse.shape, "fine", fine.shape)

model = upscaler(opts.size // opts.factor, opts.factor)
model.compile(optimizer="adam", loss="mse", jit_compile=opts.jit)
model.fit(coarse, fine, batch_size=opts.batch, epochs=opts.epochs, verbose=2)
print("final mse", round(float(model.evaluate(coarse, fine, verbose=0)), 4))
