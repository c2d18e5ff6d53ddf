// What a host name means, by the system's resolver (files, DNS, mDNS: whatever nsswitch.conf says).
// getaddrinfo blocks and cannot be given up, so each lookup has a thread of its own; who waits is answered
// after a few seconds whatever becomes of it, and there are never more than a few at once.

import Glibc
import Synchronization

/// Looks names up, from any thread.
final class NameLookups: Sendable {
    /// Numbers, IPv6 without brackets; `failure` says why there are none.
    struct Answer: Sendable, Equatable {
        var addresses: [String] = []
        var failure: String?
    }

    private struct State {
        var lastNumber: UInt64 = 0
        /// Who waits for those that were not answered.
        var waiting: [UInt64: @Sendable (Answer) -> Void] = [:]
        /// Threads in the resolver, whether anybody still waits for them or not.
        var threads = 0
    }

    private let state = Mutex(State())
    private let threadsMax: Int

    init(threadsMax: Int) { self.threadsMax = threadsMax }

    /// Calls `answer` once: on the lookup's thread, at once when there are too many, or from `giveUp`. The
    /// number names it for `giveUp`.
    func begin(_ host: String, answer: @escaping @Sendable (Answer) -> Void) -> UInt64? {
        let number: UInt64? = state.withLock { state in
            guard state.threads < threadsMax else { return nil }
            state.threads += 1
            state.lastNumber += 1
            state.waiting[state.lastNumber] = answer
            return state.lastNumber
        }
        guard let number else {
            answer(Answer(failure: "\(threadsMax) lookups before it were not answered yet"))
            return nil
        }
        guard startThread(number, host) else {
            state.withLock { $0.threads -= 1 }
            end(number, Answer(failure: "there is no thread for the lookup"))
            return nil
        }
        return number
    }

    /// The time is over: who waits hears it, and what the resolver says later is not heard.
    func giveUp(_ number: UInt64, after seconds: Int64) {
        end(number, Answer(failure: "the name server did not answer within \(seconds) s"))
    }

    private func end(_ number: UInt64, _ answer: Answer) {
        let receiver = state.withLock { $0.waiting.removeValue(forKey: number) }
        receiver?(answer)
    }

    private func startThread(_ number: UInt64, _ host: String) -> Bool {
        var thread: pthread_t = 0
        let work = Unmanaged.passRetained(
            Work { [self] in
                let answer = Self.resolve(host)
                state.withLock { $0.threads -= 1 }
                end(number, answer)
            })
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if status == 0 { pthread_detach(thread) } else { work.release() }
        return status == 0
    }

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Blocks. All A and AAAA records.
    private static func resolve(_ host: String) -> Answer {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { return Answer(failure: reason(status)) }
        var found: Set<String> = []
        var next = list
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(text.count)
            if getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0
            {
                let end = text.firstIndex(of: 0) ?? text.endIndex
                found.insert(String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = entry.pointee.ai_next
        }
        return Answer(addresses: found.sorted(), failure: found.isEmpty ? "the name has no address" : nil)
    }

    private static func reason(_ status: Int32) -> String {
        switch status {
        case EAI_NONAME: "the name cannot be found"
        case EAI_AGAIN: "the name server does not answer"
        case EAI_FAIL: "the name server refused the question"
        case EAI_SYSTEM: String(cString: strerror(errno))
        default: String(cString: gai_strerror(status))
        }
    }
}
