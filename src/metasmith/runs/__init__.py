"""One design, from what was asked to what came out: spec, folder, history, loop, design; learning task after task."""
