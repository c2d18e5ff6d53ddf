// The household of the examples: the same device, space and change in all of them, so that a reader who
// follows one endpoint to the next meets what the last one gave.

enum Example {
    static let device = "TXCWM6Y-NN35KGI-LLTSW3G-SOH3GOS-W6RTDIW-S5XCKX5-6XNXLKM-TTRUUVH"
    static let space = "f23a754297cf966f292cb11b76a8c128061f3b11104060d47892d26b00717c4f"
    static let replica = "5c146500ec6724dc975ce973f6348bcc"
    static let change = "\(replica):7"
    static let epoch = "04bd2b5f0a9c4c1e8d3ac2b4a5f60718"
    static let invite = "9a0774c563e443b19dde7485fed86148"
    static let token = "repl1-ahx5zzhko3ulobvgsj67vsdtb2hnfmodb2i4dfkiryqkrilotmfql4r2ovbjpt4wn4uszmi3o2um"
    static let cursor = "0731f7cd042785a3.7"

    static let spaceObject =
        #"{"id":"\#(space)","name":"household","role":"admin","members":2,"documents":1,"state":"active"}"#
    static let operation =
        #"{"op":"set","document":"note/1","path":["title"],"value":"Groceries"}"#
    static let written = #"{"change":"\#(change)","version":"\#(change)"}"#
    static let typedLine =
        #"{"key":"note/1","value":{"kind":"map","value":{"title":{"conflicts":[],"kind":"register","#
        + #""value":"Groceries"}}}}"#
}
