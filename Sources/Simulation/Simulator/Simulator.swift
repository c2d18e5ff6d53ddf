// The floor `Simulator` (Sources/README.md).
