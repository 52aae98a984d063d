"""Realised volatility forecasts for a basket of assets."""
