# LSTM for stock prices, three stacked layers
import numpy as np
import pandas as pd
from tensorflow.keras.models import Sequential
from tensorflow.keras.layers import LSTM, Dense, Dropout, Input

rng = np.random.default_rng(1)
df = pd.DataFrame({
    "Open": 100 + np.cumsum(rng.normal(size=220)),
    "Close": 100 + np.cumsum(rng.normal(size=220)),
    "Volume": rng.integers(1000, 5000, size=220).astype(float),
})
training_set = df[["Open", "Close"]].values
mn, mx = training_set.min(axis=0), training_set.max(axis=0)
scaled = (training_set - mn) / (mx - mn)

time_step = 30
X_train, y_train = [], []
for i in range(time_step, len(scaled)):
    X_train.append(scaled[i - time_step:i, :])
    y_train.append(scaled[i, 1])
X_train, y_train = np.array(X_train), np.array(y_train)
print(X_train.shape, y_train.shape)

regressor = Sequential()
regressor.add(Input(shape=(X_train.shape[1], X_train.shape[2])))
regressor.add(LSTM(units=24, return_sequences=True))
regressor.add(Dropout(0.2))
regressor.add(LSTM(units=24))
regressor.add(Dropout(0.2))
regressor.add(LSTM(units=16))
regressor.add(Dropout(0.2))
regressor.add(Dense(units=1))

regressor.compile(optimizer="adam", loss="mean_squared_error")
regressor.fit(X_train, y_train, epochs=1, batch_size=32, verbose=2)

predicted = regressor.predict(X_train[:5], verbose=0)
print(predicted * (mx[1] - mn[1]) + mn[1])
