// The floor `Replication` (Sources/README.md).
