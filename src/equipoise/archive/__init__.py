"""The only memory: append-only chained lines and content-addressed blobs."""
