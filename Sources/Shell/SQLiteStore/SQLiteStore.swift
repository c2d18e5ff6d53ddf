// The floor `SQLiteStore` (Sources/README.md).
