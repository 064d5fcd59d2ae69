"""Reads the sessions of harnesses other than Claude Code: Codex, mini-swe-agent, SWE-agent."""
