// The floor `ControlServer` (Sources/README.md).
