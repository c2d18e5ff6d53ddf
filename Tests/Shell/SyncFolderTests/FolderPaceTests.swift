// When this node's file is written: a rule at a time.

import Bytes
import Node
import Testing

@testable import SyncFolder

@Suite struct FolderPaceTests {
}
