// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ZeroMQ

/// Far beyond the need of a loaded machine; only a failing test waits this long.
private let patienceMilliseconds = 20_000

extension Socket {
    /// A socket that drops unsent messages when it closes.
    static func make(_ kind: Kind, in context: Context) throws -> Socket {
        let socket = try Socket(kind, in: context)
        try socket.set(.linger, 0)
        return socket
    }

    /// Waits for the next frame.
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
    /// Waits for the next event of this kind.
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
