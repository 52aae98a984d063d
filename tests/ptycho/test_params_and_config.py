import pytest

from ptycho import params
from ptycho.config.config import InferenceConfig, ModelConfig, TrainingConfig, update_legacy_dict


@pytest.mark.parametrize(("N", "gridsize", "size"), [(64, 2, 78), (64, 1, 74), (64, 3, 82), (128, 3, 146), (32, 2, 46)])
def test_padded_size(N, gridsize, size):
    params.set("N", N)
    params.set("gridsize", gridsize)
    assert params.get_padded_size() == size
    assert params.get_padded_size(N=64, gridsize=2) == 78


def test_unknown_parameter_names_the_known_ones():
    with pytest.raises(KeyError, match=r"no parameter 'gridSize'.*gridsize"):
        params.get("gridSize")


def test_update_legacy_dict_flattens_the_model():
    update_legacy_dict(params.cfg, TrainingConfig(N=128, gridsize=3, batch_size=7))
    assert (params.get("N"), params.get("gridsize"), params.get("batch_size")) == (128, 3, 7)
    assert "model" not in params.cfg
    update_legacy_dict(params.cfg, InferenceConfig(model=ModelConfig(object_big=False), batch_size=5))
    assert params.get("object_big") is False
    assert params.get("batch_size") == 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"N": 65},
        {"N": 0},
        {"gridsize": 0},
        {"filters_scale": 0},
        {"offset": -1},
        {"estimate_iterations": 0},
        {"network_input": "phases"},
    ],
)
def test_impossible_models_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ModelConfig(**wrong)


def test_impossible_trainings_are_refused():
    with pytest.raises(ValueError, match="loss must be"):
        TrainingConfig(loss="nll")
    with pytest.raises(ValueError, match="batch_size"):
        TrainingConfig(batch_size=0)
