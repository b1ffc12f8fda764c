"""What a robot may be told: limits on every command, and the states that decide whether there is one."""
