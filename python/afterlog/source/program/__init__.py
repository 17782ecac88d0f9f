"""The program as its text says: files, scopes, calls of the SDK, what is printed, which loops are
loops of the run."""
