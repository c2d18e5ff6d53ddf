// The floor `Crypto` (Sources/README.md).
