// The floor `SecureLink` (Sources/README.md).
