// What NIO throws when a connection goes or when bytes are no HTTP, in our words. Everything else that passes
// through a stream belongs to the caller and stays as it is.

import NIOCore
import NIOHTTP1

/// An error of the connection.
protocol NetworkError: Error {
    var clientError: ClientError { get }
}

extension IOError: NetworkError {
    var clientError: ClientError { .cut }
}

extension ChannelError: NetworkError {
    var clientError: ClientError { .cut }
}

extension NIOAsyncWriterError: NetworkError {
    var clientError: ClientError { .cut }
}

extension HTTPParserError: NetworkError {
    var clientError: ClientError {
        self == .invalidEOFState ? .cut : .malformed("it is no HTTP/1.1 (\(self))")
    }
}
