"""Reads session transcripts of Claude Code."""
