// The floor `Mesh` (Sources/README.md).
