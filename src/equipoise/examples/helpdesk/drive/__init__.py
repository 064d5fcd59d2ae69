"""The driver: a workload of invented customers, the real requests, the checks, the rows."""
