// The floor `ReplClient` (Sources/README.md).
