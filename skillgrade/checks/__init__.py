"""Can it be trusted: gates and other checks of a finished run."""
