// What is written for ever in a soak: the kinds of things that a log without end would remember and a state
// does not. Nodes in the simulator and daemons get the same text.

enum SoakChurn {
    /// Rounds in which a list is filled before it is emptied in the next.
    private static let fillings = 3
    /// Rounds after which a document that was made is deleted.
    static let lifetime = 3

    /// One transaction of a node: a counter incremented and a register overwritten by all nodes, a list of
    /// its own filled and emptied, a document made and an older one deleted.
    static func transaction(round: Int, node: Int) -> String {
        var operations = [
            #"{"op":"increment","document":"churn/counter","path":["n"],"by":1}"#,
            #"{"op":"set","document":"churn/register","path":["v"],"value":"round \#(round) of \#(node)"}"#,
            list(round: round, node: node),
            #"{"op":"set","document":"made/\#(node)/\#(round)","path":[],"#
                + #""value":{"title":"made in round \#(round)","done":false}}"#,
        ]
        if round >= lifetime {
            operations.append(
                #"{"op":"delete","document":"made/\#(node)/\#(round - lifetime)","path":[]}"#)
        }
        return #"{"operations":[\#(operations.joined(separator: ","))]}"#
    }

    private static func list(round: Int, node: Int) -> String {
        let place = #""document":"churn/list-\#(node)","path":["items"]"#
        guard round % (fillings + 1) != fillings else { return #"{"op":"set",\#(place),"value":[]}"# }
        let values = (0..<8).map { #""item \#(round)/\#($0)""# }.joined(separator: ",")
        return #"{"op":"insert",\#(place),"index":-1,"values":[\#(values)]}"#
    }

    private static func plain(_ number: Int) -> String {
        #"{"number":\#(number),"text":"a document that nobody writes to, number \#(number)"}"#
    }

    /// The state that stays, a few hundred documents a transaction.
    static func state(documents: Int) -> [String] {
        stride(from: 0, to: documents, by: 500).map { start in
            let operations = (start..<min(start + 500, documents)).map { number in
                #"{"op":"set","document":"state/\#(number)","path":[],"value":\#(plain(number))}"#
            }
            return #"{"operations":[\#(operations.joined(separator: ","))]}"#
        }
    }
}
