import numpy as np
import pandas as pd
import tensorflow as tf

tf.random.set_seed(3)


def fake_survey(rows=90):
    rng = np.random.RandomState(3)
    return pd.DataFrame({
        "q1": rng.randint(1, 6, rows),
        "q2": rng.randint(1, 6, rows),
        "q3": rng.randint(1, 6, rows),
        "income": rng.lognormal(10, .4, rows),
        "answer": rng.choice(["yes", "no", "maybe"], rows),
    })


class SurveyModel(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.d1 = tf.keras.layers.Dense(10, activation="relu")
        self.d2 = tf.keras.layers.Dense(10, activation="relu")
        self.out = tf.keras.layers.Dense(classes, activation="softmax")

    def call(self, x):
        return self.out(self.d2(self.d1(x)))


survey = fake_survey()
survey["income"] = np.log(survey["income"])
features = survey.drop("answer", axis=1)
features = (features - features.mean()) / features.std()
target = pd.get_dummies(survey["answer"], dummy_na=True)

X = features.values.astype("float32")
Y = target.values.astype("float32")
classes = survey["answer"].nunique()

net = SurveyModel(classes)
net.compile(optimizer="sgd", loss="categorical_crossentropy")
net.fit(X, Y, batch_size=30, epochs=2, verbose=0)

probs = net.predict(X[:3], verbose=0)
print(pd.DataFrame(probs, columns=target.columns))
