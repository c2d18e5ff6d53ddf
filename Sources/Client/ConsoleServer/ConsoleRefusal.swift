// Why a request is not answered: in the words and the form of the API's errors for the page's own calls, and
// as a page of a few lines for a person who came by an address.

import JSON

/// A refusal of the console itself; what the daemon refuses is passed on as it is.
enum ConsoleRefusal: Error, Equatable {
    case wrongHost(port: Int)
    case foreignOrigin
    case noSession
    case tokenSpent
    case noSuchPage
    case noSuchCall
    case wrongMethod
    case bodyNotExpected
    case notJSON
    case bodyTooLarge(limit: Int)
    case badText

    var status: Int {
        switch self {
        case .wrongHost, .foreignOrigin, .noSession, .tokenSpent: 403
        case .noSuchPage, .noSuchCall: 404
        case .wrongMethod: 405
        case .bodyNotExpected: 400
        case .notJSON: 415
        case .bodyTooLarge: 413
        case .badText: 422
        }
    }

    var code: String {
        switch self {
        case .wrongHost: "wrong-host"
        case .foreignOrigin: "foreign-origin"
        case .noSession: "no-session"
        case .tokenSpent: "token-spent"
        case .noSuchPage: "no-such-page"
        case .noSuchCall: "no-such-call"
        case .wrongMethod: "wrong-method"
        case .bodyNotExpected: "body-not-expected"
        case .notJSON: "not-json"
        case .bodyTooLarge: "body-too-large"
        case .badText: "bad-text"
        }
    }

    var message: String {
        switch self {
        case .wrongHost(let port): "this console answers to 127.0.0.1:\(port) only"
        case .foreignOrigin: "this request comes from another page"
        case .noSession: "this browser was not let in"
        case .tokenSpent: "this address was used before; it opens one browser, once"
        case .noSuchPage: "the console has no such page"
        case .noSuchCall: "the console passes no such call on"
        case .wrongMethod: "pages are only read"
        case .bodyNotExpected: "this call has no body"
        case .notJSON: "the body is no application/json"
        case .bodyTooLarge(let limit): "the body has over \(limit) bytes"
        case .badText: "the text is empty, or no UTF-8"
        }
    }

    var hint: String {
        switch self {
        case .wrongHost: "open the address that replctl console printed; behind ssh -L take the same port"
        case .foreignOrigin: "use the console's own page"
        case .noSession, .tokenSpent: "run replctl console on this machine; each run lets one browser in"
        case .noSuchPage: "go to the console's first page"
        case .noSuchCall, .wrongMethod, .bodyNotExpected, .notJSON: "is the page of the same version?"
        case .bodyTooLarge: "write it in several changes"
        case .badText: "give a text of a few hundred characters"
        }
    }

    /// As the API writes errors.
    var json: [UInt8] { Self.json(code: code, message: message, hint: hint) }

    static func json(code: String, message: String, hint: String) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.name("error")
            $0.object {
                $0.member("code", code)
                $0.member("message", message)
                $0.member("hint", hint)
            }
        }
        return json.bytes
    }

    /// For a person. A cookie that is strictly of one site is not sent when another page leads here: the
    /// link, which is ours, sends it. All words are ours, so nothing has to be escaped.
    var page: [UInt8] {
        let again = self == .noSession ? #"<p><a href="./">Try again</a></p>"# : ""
        return Array(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>repld console: not opened</title>
            <h1>The console was not opened</h1>
            <p>replctl: \(message)</p>
            <p>\(hint)</p>
            \(again)
            </html>

            """.utf8)
    }
}
