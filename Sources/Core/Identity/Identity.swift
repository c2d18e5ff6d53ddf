// The floor `Identity` (Sources/README.md).
