// The floor `PeerNetwork` (Sources/README.md).
