// Each verb of replctl is an endpoint, or a few, of the API: what a person can do, a program can. Here is
// which; verbs and endpoints that come have to be entered.

import ArgumentParser
import ControlAPI
import Testing

@testable import ConsoleServer
@testable import replctl

@Suite struct VerbTableTests {
    /// The endpoints of each verb, by their names.
    private static let endpoints: [String: [String]] = [
        "status": ["status"], "peers": ["peers"], "ping": ["ping"], "spaces": ["listSpaces"],
        "space create": ["createSpace"], "space show": ["getSpace"], "space members": ["listMembers"],
        "members": ["listMembers"], "space remove": ["removeMember", "listMembers"],
        "space role": ["changeRole"], "space keys": ["listKeys", "rotateKeys"],
        "space invite": ["createInvite"], "space invites": ["listInvites"], "space revoke": ["revokeInvite"],
        "space checkpoints": ["listCheckpoints"], "space checkpoint": ["proposeCheckpoint"],
        "space collect": ["collect"],
        "space leave": ["leaveSpace", "getSpace"], "join": ["join"],
        "get": ["readDocument"], "ls": ["listDocuments"], "find": ["listDocuments"],
        "set": ["transact", "readDocument"], "delete": ["transact"], "incr": ["transact"],
        "add": ["transact"],
        "remove": ["transact"], "insert": ["transact"], "append": ["transact"], "prepend": ["transact"],
        "move": ["transact"], "splice": ["transact"], "make": ["transact"], "convert": ["transact"],
        "cp": ["transact", "readDocument"], "mv": ["transact", "readDocument"],
        "edit": ["transact", "readDocument"], "apply": ["streamTransactions"],
        "index add": ["declareIndex"], "index ls": ["listIndexes"], "index drop": ["dropIndex"],
        "conflicts": ["listConflicts"], "resolve": ["resolveConflict"],
        "watch": ["watchChanges"], "log": ["readLog"], "forks": ["listForks"],
        "quarantine": ["listQuarantine"], "void": ["listVoid"],
        "adopt": ["adoptVoid"], "export": ["exportDocuments"],
        "import": ["importDocuments"],
        "wait": ["wait"], "explain": ["explain"], "top": ["status", "peers", "metrics"], "backup": ["backup"],
        "bundle write": ["writeBundle"], "bundle read": ["takeBundle"],
        "reload": ["reload"], "doctor": ["status", "peers", "listMembers", "listKeys", "listCheckpoints"],
        "console": console, "support": ["support", "peers"],
    ]

    /// What the page asks for is in a table of its own, by method and path.
    private static let console = Route.all.filter { route in
        ConsoleRoute.all.contains { $0.method == route.method && $0.path == route.pattern }
    }.map(\.name.rawValue)

    /// What works without a daemon, and why.
    private static let local = [
        "restore": "no daemon may run on the state directory that it fills",
        "completion": "the shell asks for it",
    ]

    /// Endpoints that no verb has.
    private static let programsOnly = ["openapi", "getIndex"]

    private static func verbs(
        of command: any ParsableCommand.Type = Replctl.self, behind name: String = ""
    ) -> [String] {
        command.configuration.subcommands.flatMap { verb -> [String] in
            let full = name + (verb.configuration.commandName ?? "")
            let inner = verbs(of: verb, behind: full + " ")
            return inner.isEmpty ? [full] : inner
        }
    }

    @Test("the table has every verb that replctl has, and no other")
    func verbs() {
        #expect(Set(Self.verbs()) == Set(Self.endpoints.keys).union(Self.local.keys))
    }

    @Test("every endpoint of a verb is in the daemon's table, and every other one is for programs")
    func endpoints() {
        let routes = Set(Route.all.map(\.name.rawValue))
        let used = Set(Self.endpoints.values.flatMap(\.self))
        #expect(used.isSubset(of: routes), "\(used.subtracting(routes).sorted())")
        #expect(routes.subtracting(used) == Set(Self.programsOnly))
    }
}
