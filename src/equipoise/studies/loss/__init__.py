"""The loss study: promised, executed, scored under a catalog, compared, remembered."""
