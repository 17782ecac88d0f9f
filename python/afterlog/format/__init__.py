"""The bytes of docs/format.md: values, paths, the manifest, the checkpoint file."""
