"""Shape policies of a contract, each measured in a process."""
