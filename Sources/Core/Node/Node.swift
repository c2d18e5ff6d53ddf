// The floor `Node` (Sources/README.md).
