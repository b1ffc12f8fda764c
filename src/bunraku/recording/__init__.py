"""What a session writes down while it runs, and reading it again."""
