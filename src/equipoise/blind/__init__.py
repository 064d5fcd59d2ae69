"""Makes packets that name nothing, keeps the key apart, and looks for what leaks."""
