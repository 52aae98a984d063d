"""Where work runs: on this machine, or on a cluster through dask; one interface, `concurrent.futures.Executor`."""
