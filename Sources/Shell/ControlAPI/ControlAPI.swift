// The floor `ControlAPI` (Sources/README.md).
