import keras
from keras import layers

from blocks import AddPosition, ClassToken, EncoderBlock, Patches


def token_count(signal, tokens):
    return signal["rate"] * signal["seconds"] // tokens["patch"]


def build_classifier(signal, tokens, transformer):
    t = transformer
    inp = keras.Input((signal["rate"] * signal["seconds"], signal["channels"]))
    x = Patches(tokens["patch"], t["d_model"])(inp)
    x = ClassToken()(x)
    x = AddPosition(token_count(signal, tokens), t["d_model"])(x)
    for k in range(t["depth"]):
        x = EncoderBlock(t["d_model"], t["heads"], t["ff"], t["dropout"], name=f"block{k}")(x)
    x = layers.LayerNormalization()(x[:, 0])
    return keras.Model(inp, layers.Dense(2)(x))
