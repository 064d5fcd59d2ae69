"""What runs inside the sandboxes of a suite: standard library and pytest, nothing else of ours."""
