"""The four wire formats: what a request asks, what an answer says, how an error is put."""
