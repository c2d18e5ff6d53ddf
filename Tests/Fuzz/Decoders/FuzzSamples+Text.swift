// Seeds of what programs send.

import Documents

enum TextSamples {
    static func of(_ decoder: FuzzDecoder) -> [[UInt8]] {
        switch decoder {
        case .json: json.map { Array($0.utf8) }
        case .transaction: transactions.map { Array($0.utf8) }
        case .typed: typed
        default: requests.map { [$0.0] + Array($0.1.utf8) }
        }
    }

    private static let json = [
        #"{"a":[1,-2.5e3,true,false,null],"b":{"c":"\u00e9\n\ud83d\ude00"},"d":""}"#, "[[[[[[]]]]]]",
        "9223372036854775807", "-0", "1e308", "0.1", #""\\\"\/\b\f\r\t""#,
        "[1.0,9007199254740992,-9223372036854775808]",
    ]

    /// On the document "d" of `FuzzSamples.document`.
    private static let transactions = [
        #"{"operations":[{"op":"set","document":"d","path":["m"],"value":{"k":[1,{"z":null}]}}]}"#,
        #"{"operations":[{"op":"set","document":"d","path":["l"],"value":[3,1,{"q":4}]},{"op":"move","document":"d","path":["l"],"from":0,"to":2}]}"#,
        #"{"operations":[{"op":"splice","document":"d","path":["t"],"index":1,"delete":2,"insert":"ab"},{"op":"set","document":"d","path":["t"],"value":"xbz"}]}"#,
        #"{"operations":[{"op":"insert","document":"d","path":["o"],"index":1,"values":[2,5]},{"op":"move","document":"d","path":["o"],"from":0,"after":null},{"op":"remove","document":"d","path":["o"],"value":2}]}"#,
        #"{"operations":[{"op":"increment","document":"d","path":["c"],"by":-3},{"op":"add","document":"d","path":["s"],"value":"b"},{"op":"remove","document":"d","path":["r"],"value":3},{"op":"add","document":"d","path":["r"],"value":3}]}"#,
        #"{"operations":[{"op":"delete","document":"d","path":[]},{"op":"make","document":"d","path":["x"],"kind":"ordered-set"},{"op":"insert","document":"d","path":["l"],"after":null,"values":[1]}],"if":[{"document":"d","path":["v"],"equals":1}],"idempotencyKey":"k"}"#,
        #"{"operations":[{"op":"set","document":"d","path":["l",1,"q"],"value":[]},{"op":"delete","document":"d","path":["l",0]},{"op":"set","document":"e","path":[],"value":{}}],"if":[{"document":"e","path":[],"exists":false},{"document":"d","version":"0"}]}"#,
    ]

    private static var typed: [[UInt8]] {
        [FuzzSamples.edits, FuzzSamples.edits + FuzzSamples.later].compactMap { edits in
            guard let typed = FuzzSamples.document(edits).typed else { return nil }
            var line = Array(#"{"key":"d","value":"#.utf8)
            CanonicalJSON.append(typed, to: &line)
            return line + [UInt8(ascii: "}")]
        }
    }

    private static let requests: [(UInt8, String)] = [
        (0, "/v1/status"), (0, "/v1/spaces/home/documents?prefix=a%2F&after=b&limit=10"),
        (0, "/v1/spaces/home/documents/note%2F1?view=typed"),
        (15, "/v1/spaces/home/changes?since=begin&follow=false"),
        (0, "/v1/spaces/home/changes?since=00000000000000ff.12&prefix=%C3%A9"),
        (0, "/v1/spaces/home/export?view=plain"),
        (0, "/v1/spaces/home/log?after=0&document=d"),
        (0, "/v1/spaces/home/wait?change=0&on=&timeoutSeconds=5"),
        (6, "/v1/spaces/home/transactions"), (6, "/v1/spaces"), (6, "/v1/join"),
        (6, "/v1/spaces/home/invites"),
        (2, "/v1/spaces/home"), (20, "/v1/spaces/home/documents/d"),
    ]
}
