// Programs of the machine that some tests need, and that it may not have.

import Foundation

enum SystemTool {
    /// Nil when it is not installed.
    static func path(_ name: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"].map { $0 + name }.first { access($0, X_OK) == 0 }
    }
}
