// Who has the other end of a connection, from lines of /proc/net/tcp as Linux writes them.

import Testing

@testable import ConsoleServer

private let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:20E5 00000000:0000 0A 00000000:00000000 00:00000000 00000000 \
    1000 0 1 1 0 100 0 0 10 0
       1: 0100007F:9C40 0100007F:20E5 01 00000000:00000000 00:00000000 00000000 \
    1001 0 2 1 0 20 4 30 10 -1
       2: 0100007F:20E5 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 \
    1000 0 3 1 0 20 4 30 10 -1
       3: 0100007F:9C41 0100007F:20E6 01 00000000:00000000 00:00000000 00000000 \
    1002 0 4 1 0 20 4 30 10 -1
       4: 0200007F:9C42 0100007F:20E5 01 00000000:00000000 00:00000000 00000000 \
    1003 0 5 1 0 20 4 30 10 -1
    """

@Suite struct SocketOwnerTests {
    @Test("the user is that of the other end, not of ours or of another connection")
    func user() {
        #expect(SocketOwner.user(in: table, from: 40_000, to: 8_421) == 1_001)
        #expect(SocketOwner.user(in: table, from: 40_001, to: 8_422) == 1_002)
        for port in [40_001, 40_002, 1] { #expect(SocketOwner.user(in: table, from: port, to: 8_421) == nil) }
        #expect(SocketOwner.user(in: "", from: 40_000, to: 8_421) == nil)
        #expect(SocketOwner.user(in: "1: garbage\n\n: :", from: 40_000, to: 8_421) == nil)
    }

    @Test("a socket of both families is found by its mapped address")
    func mapped() {
        let line =
            "0: 0000000000000000FFFF00000100007F:9C40 0000000000000000FFFF00000100007F:20E5 01 0:0 0:0 0 1004 0 6"
        #expect(SocketOwner.user(in: line, from: 40_000, to: 8_421) == 1_004)
    }

    @Test("root and the user may connect; behind sudo who called it too, and only there")
    func allowed() {
        let sudo: (String) -> String? = { $0 == "SUDO_UID" ? "1000" : nil }
        #expect(SocketOwner(effective: 1_001) { _ in nil }.allowed == [0, 1_001])
        #expect(SocketOwner(effective: 0, environment: sudo).allowed == [0, 1_000])
        #expect(SocketOwner(effective: 1_001, environment: sudo).allowed == [0, 1_001])
    }

    @Test("who is missed by one reading is found by the next; who is in none is turned away")
    func readAgain() {
        let owner = SocketOwner(allowed: [1_001])
        var readings = 0
        let found = owner.mayUse(from: 40_000, to: 8_421) { _ in
            readings += 1
            return readings > 5 ? table : ""
        }
        #expect(found && readings == 6)
        #expect(!owner.mayUse(from: 40_001, to: 8_422) { _ in table }, "another user's")
        #expect(!owner.mayUse(from: 1, to: 8_421) { _ in table }, "nobody's")
    }
}
