// The floor `Roster` (Sources/README.md).
