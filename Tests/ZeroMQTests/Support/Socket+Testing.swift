// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZeroMQ

/// Far beyond what a loaded machine needs; only a failing test waits this long.
private let patienceMilliseconds = 20_000

extension Socket {
    /// A socket that drops what is unsent when it closes.
    static func make(_ kind: Kind, in context: Context) throws -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.set(.linger, 0)
        return socket
    }

    /// The next frame, waited for.
    func next(into message: inout Message) throws {
        var poller = Poller()
        poller.add(.socket(self))
        while try !receive(into: &message) {
            try #require(poller.wait(timeoutMilliseconds: patienceMilliseconds) > 0)
        }
    }

    func nextText() throws -> String {
        var message = Message()
        try next(into: &message)
        return message.text
    }

    func send(text: String, more: Bool = false) throws -> SendResult {
        var message = Message(text: text)
        return try send(&message, more: more)
    }
}

extension SocketMonitor {
    /// The next event of this kind, waited for.
    mutating func next(_ kind: Event.Kind) throws -> Event {
        var poller = Poller()
        poller.add(pollItem)
        while true {
            if let event = try next() {
                if event.kind == kind { return event }
            } else {
                try #require(poller.wait(timeoutMilliseconds: patienceMilliseconds) > 0)
            }
        }
    }
}

extension Message {
    init(text: String) {
        self.init(byteCount: text.utf8.count)
        mutableBytes.copyBytes(from: text.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
