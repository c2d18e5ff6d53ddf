// Numbers with what they count, as people say them.

/// "1 change", "2 changes".
func counted(_ count: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
