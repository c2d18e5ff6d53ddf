// The version of all programs, and of the packages that carry them: the Makefile reads it from this file.
// Members are told which one a box runs (decision 0170), so it changes with every release and never in
// between.

public enum Release {
    public static let version = "0.1.0"
}
