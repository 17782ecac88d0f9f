"""Which logged values depend on a clock, on entropy or the like."""
