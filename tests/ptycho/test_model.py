import warnings

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("gridsize", "N"), [(1, 32), (2, 64), (3, 32)])
def test_rows_in_are_rows_out_at_every_batch_size(make_data, gridsize, N):
    from ptycho import model, params

    make_data(1, gridsize, N)
    autoencoder, _ = model.create_model_with_gridsize(gridsize, N)
    P, C = params.get_padded_size(), gridsize**2
    # Each new size is compiled again: all of them for one grid, the ends and the threshold for the others.
    for B in (1, 2, 7, 15, 16, 17, 64, 70) if gridsize == 2 else (1, 17, 70):
        data = make_data(B, gridsize, N)
        objects, amplitudes, counts = autoencoder.predict(model.prepare_inputs(data), batch_size=min(B, 32), verbose=0)
        assert objects.shape == (B, P, P, 1)
        assert amplitudes.shape == counts.shape == (B, N, N, C)


@pytest.mark.parametrize("jit_compile", [True, False])
def test_a_row_does_not_depend_on_its_batch(make_data, jit_compile):
    from ptycho import model

    data = make_data(20, 2, 32)
    autoencoder, _ = model.create_compiled_model(jit_compile=jit_compile)
    inputs = model.prepare_inputs(data)
    whole = autoencoder.predict(inputs, batch_size=32, verbose=0)
    split = autoencoder.predict(inputs, batch_size=3, verbose=0)
    order = np.random.default_rng(0).permutation(20)
    mixed = autoencoder.predict([a[order] for a in inputs], batch_size=20, verbose=0)
    for a, b, c in zip(whole, split, mixed, strict=True):
        # Other batch sizes are other kernels: sums in another order, through all updates of the first estimate.
        rounding = 1e-3 * float(np.abs(a).max())
        np.testing.assert_allclose(b, a, rtol=0, atol=rounding)
        np.testing.assert_allclose(c, a[order], rtol=0, atol=rounding)


def test_paths_agree_in_the_whole_model(make_data):
    """The step compiled by XLA, warp and all, against the plain one: values and gradients to 1e-5 of the largest."""
    import tensorflow as tf

    from ptycho import losses, model, params, probe, tf_helper

    data = make_data(5, 2, 32)
    light = probe.get_default_probe(32)[None, ..., None]
    measured = tf_helper.diffract(light * (1 + 0.3 * np.exp(1j * data.X)).astype(np.complex64))  # not bare noise
    inputs = [measured, tf.constant(data.coords)]
    found, weights = [], None
    for xla in (True, False):
        params.set("use_xla_translate", xla)
        autoencoder, _ = model.create_model_with_gridsize(2, 32)
        rng = np.random.default_rng(0)  # not the zeros of an untrained network's last layers
        weights = weights or [0.1 * rng.standard_normal(w.shape) for w in autoencoder.get_weights()]
        autoencoder.set_weights(weights)

        @tf.function(jit_compile=xla)
        def step(inputs, autoencoder=autoencoder):
            with tf.GradientTape() as tape:
                outputs = autoencoder(inputs)
                loss = tf.reduce_mean(losses.amplitude_mae(inputs[0], outputs[1]))
            return [*outputs, *tape.gradient(loss, [v.value for v in autoencoder.trainable_variables])]

        found.append(step(inputs))
    assert len(found[0]) == 3 + len(weights)
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * np.abs(b).max())


@pytest.mark.parametrize(("loss", "object_big"), [("poisson", True), ("mae", False)])
def test_training_lowers_the_loss(make_data, loss, object_big):
    from ptycho import params, train_pinn

    data = make_data(24, 2, 32)
    params.cfg.update(loss=loss, object_big=object_big, batch_size=10, intensity_scale=10.0, learning_rate=0.01)
    autoencoder, history = train_pinn.train(data, nepochs=4, verbose=0)
    losses = history.history["loss"]
    assert losses[-1] < losses[0]
    result = train_pinn.evaluate(autoencoder, data)
    assert len(result.objects) == 24
    assert np.isfinite(result.stitched).all()


def test_saved_models_load(make_data, tmp_path):
    import keras

    from ptycho import model

    warnings.simplefilter("error", UserWarning)
    inputs = model.prepare_inputs(make_data(3, 2, 32))
    autoencoder, _ = model.create_model_with_gridsize(2, 32)
    autoencoder.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    for a, b in zip(autoencoder.predict(inputs, verbose=0), again.predict(inputs, verbose=0), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_which_jit_compile(monkeypatch):
    from ptycho import model, params

    assert model.resolve_jit_compile() == "auto"
    params.set("use_xla_compile", False)
    assert model.resolve_jit_compile() is False
    monkeypatch.setenv("USE_XLA_COMPILE", "1")
    assert model.resolve_jit_compile() is True
    monkeypatch.setenv("USE_XLA_COMPILE", "0")
    assert model.resolve_jit_compile() is False
    with pytest.raises(ValueError, match="loss must be"):
        model.compile_model(None, loss="mse")
