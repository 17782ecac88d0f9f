"""Programs that never heard of Afterlog (Flor §3.3): their sources are changed while Python loads
them, so that their plain loops tell the run when an iteration begins and ends."""
