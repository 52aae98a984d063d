import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np

from climate import Controller, simulate
from options import options

print("controller for", options["crop"], "with", options["horizon"], "steps")
controller = Controller()

options["crop"] = "lettuce"
options["horizon"] = 8
options["colour"] = "green"
options.update(horizon=8, verbose=False)

states, actions = simulate(300, seed=1)
loss = controller.fit(states, actions)
options["horizon"] = 12
options["horizon"] = 8
print("horizon", options["horizon"], "loss", round(loss, 5))

plan = controller.plan(np.array([[18.0, 0.7]], "float32"))
options["units"] = 64
print("plan of", plan.shape[0], "steps, heating", plan[:, 0].round(2))
assert plan.shape == (options["horizon"], 1)
