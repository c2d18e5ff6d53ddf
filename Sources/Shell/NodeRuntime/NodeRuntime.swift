// The floor `NodeRuntime` (Sources/README.md).
