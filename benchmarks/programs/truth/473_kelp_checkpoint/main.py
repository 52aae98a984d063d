import shutil
import tempfile

import numpy as np
import tensorflow as tf

from forest import KelpForest


def open_manager(model, folder):
    ckpt = tf.train.Checkpoint(model=model)
    return ckpt, tf.train.CheckpointManager(ckpt, folder, max_to_keep=2)


def resume(ckpt, manager):
    try:
        ckpt.read(manager.directory + "/ckpt-0").assert_consumed()
    except tf.errors.NotFoundError:
        print("no seed state (ckpt-0) in the folder")
    if manager.latest_checkpoint:
        ckpt.restore(manager.latest_checkpoint).expect_partial()
        print("resumed from", manager.latest_checkpoint.rsplit("/", 1)[-1])


def season(folder, days):
    model = KelpForest()
    ckpt, manager = open_manager(model, folder)
    resume(ckpt, manager)
    total = model.advance(tf.constant(days))
    manager.save()
    return int(model.day), float(total)


folder = tempfile.mkdtemp(prefix="kelp_")
try:
    stages = [season(folder, 5) for _ in range(3)]
    print(stages)
    whole = KelpForest()
    total = float(whole.advance(tf.constant(15)))
    assert stages[-1][0] == int(whole.day) == 15
    assert np.isclose(stages[-1][1], total)
    print("interrupted and uninterrupted runs agree: %.5f" % total)
finally:
    shutil.rmtree(folder)
