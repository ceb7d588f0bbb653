"""Holds spec and runtime together: explores, proves, replays, and explains to a person what went wrong."""
