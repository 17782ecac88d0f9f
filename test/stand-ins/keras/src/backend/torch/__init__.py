"""Where the parts are."""
