"""The annotation app: serves packets to people and keeps what they answer. It knows no key."""
