"""Models that are asked directly, all through the gateway: a provider, a recording, a scenario."""
