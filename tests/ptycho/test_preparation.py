"""The first estimate is made once for a data set, and kept on disk by content."""

import os

import numpy as np
import pytest

from ptycho import estimate_cache

pytestmark = pytest.mark.slow


@pytest.fixture
def layer():
    from ptycho import probe
    from ptycho.first_estimate import FirstEstimateLayer

    return FirstEstimateLayer(probe.get_default_probe(32), iterations=3)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """The folder of the cache, in which everything is kept, however quick it was."""
    from ptycho import preparation

    monkeypatch.setenv("PTYCHO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(preparation, "WORTH_KEEPING_SECONDS", -1.0)
    return tmp_path / "cache"


def files(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_the_part_behind_the_estimate_is_the_same_model(make_data):
    """Equal outputs, one set of weights, one optimizer; its step holds no Fourier transform but that of the physics."""
    import tensorflow as tf

    from ptycho import model, preparation

    data = make_data(20, 2, 32)
    autoencoder, _ = model.create_compiled_model()
    inputs = model.prepare_inputs(data)
    trained, prepared = preparation.prepare(autoencoder, inputs)
    assert [each.shape for each in prepared] == [(20, 32, 32, 4), (20, 1, 2, 4), (20, 32, 32, 8)]
    assert trained.optimizer is autoencoder.optimizer
    before = autoencoder.get_weights()
    model.train(1, data, autoencoder, verbose=0)
    assert any((a != b).any() for a, b in zip(before, autoencoder.get_weights(), strict=True))
    whole, part = autoencoder.predict(inputs, verbose=0), trained.predict(prepared, verbose=0)
    for a, b in zip(whole, part, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-3 * np.abs(a).max())

    def transforms(network, given):
        graph = tf.function(network).get_concrete_function([tf.constant(each) for each in given]).graph
        return sum(op.type in ("FFT2D", "IFFT2D") for op in graph.get_operations())

    assert transforms(trained, prepared) == 1
    assert transforms(autoencoder, inputs) > 2 * 3


def test_inputs_that_do_not_fit_are_left_to_keras(make_data):
    from ptycho import model, preparation

    data = make_data(2, 2, 32)
    autoencoder, _ = model.create_model_with_gridsize(2, 32)
    flat = [data.X, data.coords.mean(axis=(1, 3))]
    network, inputs = preparation.prepare(autoencoder, flat)
    assert network is autoencoder
    assert inputs[1].shape == (2, 2)


@pytest.mark.parametrize(("network_input", "images"), [("patterns", 3), ("transforms", 7)])
def test_a_bare_network_is_trained_without_an_estimate(make_data, network_input, images):
    from ptycho import model, params, preparation

    params.set("network_input", network_input)
    data = make_data(4, 2, 16)
    autoencoder, _ = model.create_compiled_model(loss="mae", jit_compile=False)
    network, inputs = preparation.prepare(autoencoder, model.prepare_inputs(data))
    assert network is autoencoder
    assert network.get_layer("bare_views").output.shape == (None, 16, 16, 4 * images)
    before = network.predict(inputs, verbose=0)[0]
    model.train(1, data, autoencoder, verbose=0)
    assert (network.predict(inputs, verbose=0)[0] != before).any()


@pytest.mark.parametrize("network_input", ["estimate", "residuals"])
def test_a_model_from_a_file_evaluates_alike(make_data, tmp_path, network_input):
    import keras

    from ptycho import model, params, train_pinn

    params.set("network_input", network_input)
    data = make_data(9, 2, 32)
    autoencoder, _ = model.create_compiled_model()
    model.train(1, data, autoencoder, verbose=0)  # the second graph of the layers is in use
    autoencoder.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    found, expected = train_pinn.evaluate(again, data), train_pinn.evaluate(autoencoder, data)
    np.testing.assert_allclose(found.objects, expected.objects, atol=1e-3)


def test_an_estimate_is_made_once(layer, kept, make_data, monkeypatch):
    from ptycho import preparation

    data = make_data(20, 2, 32)
    first = preparation.make_views(layer, data.X, data.coords)
    np.testing.assert_allclose(first, layer([data.X, data.coords]).numpy(), atol=1e-4)
    assert len(files(kept)) == 1
    with monkeypatch.context() as patch:
        patch.setattr(preparation.estimate_cache, "write", None)  # would fail if it were made again
        again = preparation.make_views(layer, data.X.astype(float), data.coords.astype(float))
        np.testing.assert_array_equal(again, first)
    # Other patterns, positions, probe or settings are other estimates.
    preparation.make_views(layer, data.X + 1, data.coords)
    preparation.make_views(layer, data.X, data.coords + 1)
    preparation.make_views(type(layer)(layer.probe * 2, iterations=3), data.X, data.coords)
    preparation.make_views(type(layer)(layer.probe, iterations=4), data.X, data.coords)
    assert len(files(kept)) == 5


def test_what_takes_no_time_is_not_kept(layer, tmp_path, make_data, monkeypatch):
    from ptycho import preparation

    monkeypatch.setenv("PTYCHO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(preparation, "WORTH_KEEPING_SECONDS", 1e9)
    data = make_data(2, 2, 32)
    preparation.make_views(layer, data.X, data.coords)
    assert files(tmp_path / "cache") == []


@pytest.mark.parametrize("damage", ["cut", "changed", "foreign", "empty"])
def test_a_damaged_file_is_ignored_and_named(layer, kept, make_data, capsys, damage):
    from ptycho import preparation

    data = make_data(3, 2, 32)
    expected = preparation.make_views(layer, data.X, data.coords)
    (path,) = files(kept)
    content = bytearray(path.read_bytes())
    if damage == "changed":
        content[-5] ^= 1
    new = {"cut": content[:-8], "changed": content, "foreign": b"x" * len(content), "empty": b""}[damage]
    path.write_bytes(bytes(new))
    assert capsys.readouterr().err == ""
    np.testing.assert_array_equal(preparation.make_views(layer, data.X, data.coords), expected)
    assert str(path) in capsys.readouterr().err
    np.testing.assert_array_equal(preparation.make_views(layer, data.X, data.coords), expected)  # it was mended
    assert capsys.readouterr().err == ""


def test_a_folder_that_cannot_be_written_is_said(layer, tmp_path, make_data, capsys, monkeypatch):
    from ptycho import preparation

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PTYCHO_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(preparation, "WORTH_KEEPING_SECONDS", -1.0)
    data = make_data(3, 2, 32)
    assert preparation.make_views(layer, data.X, data.coords).shape == (3, 32, 32, 8)
    assert "the first estimate was not kept" in capsys.readouterr().err


def test_a_bar_is_shown_if_asked_for(layer, make_data, capsys):
    from ptycho import preparation

    data = make_data(20, 2, 32)
    preparation.make_views(layer, data.X, data.coords)
    assert capsys.readouterr().out == ""
    preparation.make_views(layer, data.X, data.coords, verbose=1)
    assert "20/20" in capsys.readouterr().out


def test_the_folder_stays_small(kept, monkeypatch):
    array = np.ones((1, 1, 16, 16), np.complex64)
    size = array.nbytes + 200
    monkeypatch.setattr(estimate_cache, "LARGEST_FOLDER", 4 * size)
    kept.mkdir()
    (kept / "other.txt").write_text("not ours")
    (kept / "killed.partial").write_text("half")
    os.utime(kept / "killed.partial", (0, 0))
    for number in range(6):
        estimate_cache.write(f"{number:032x}", array * number)
        os.utime(kept / f"{number:032x}.estimate", (number, number))
        if number == 3:
            np.testing.assert_array_equal(estimate_cache.read(f"{0:032x}", array.shape), 0 * array)  # used again
    left = {path.name.removesuffix(".estimate").lstrip("0") for path in files(kept)}
    assert left == {"", "3", "4", "5", "other.txt"}
    estimate_cache.write("f" * 32, np.ones((1000, 1, 16, 16), np.complex64))
    assert not (kept / f"{'f' * 32}.estimate").exists()


def test_where_the_folder_is(monkeypatch, tmp_path):
    monkeypatch.setenv("PTYCHO_CACHE", "off")
    assert estimate_cache.folder() is None
    estimate_cache.write("a", np.ones(1, np.complex64))
    assert estimate_cache.read("a", (1,)) is None
    monkeypatch.setenv("PTYCHO_CACHE", "")
    monkeypatch.setenv("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", str(tmp_path))
    assert estimate_cache.folder() == tmp_path / "ptycho"
