"""What the files of harnesses say: read alike for imported runs and for runs of our own."""
