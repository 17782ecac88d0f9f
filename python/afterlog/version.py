"""The version of the package, the same as that of the command line."""

VERSION = "0.1.0"
