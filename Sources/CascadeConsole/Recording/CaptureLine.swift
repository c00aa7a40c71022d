// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire
import Glibc

/// What has to be known of a line of a capture, without reading all of it.
struct CaptureLine {
    enum Kind {
        /// The tree, the environment and the undelivered messages of a moment.
        case keyframe
        /// A message that ended.
        case ended
        /// A message that began, or was handed to one of its recipients: its end says the same.
        case underWay
        /// The numbers of messages that the bus left out.
        case sampled
        /// Another monitor event.
        case happening
    }

    let kind: Kind
    let when: Timestamp
    private let line: Slice<UnsafeRawBufferPointer>

    /// Reads a line; `nil` if it is none of a capture, or the change of a connection.
    ///
    /// - Parameter clock: Reads times, of which one follows the other.
    init?(_ line: Slice<UnsafeRawBufferPointer>, _ clock: inout CaptureClock) {
        self.line = line
        let head = line.prefix(512)
        guard let time = head.text(of: "when"), let when = clock.read(time) else {
            return nil
        }
        self.when = when
        let schema = head.text(of: "schema")
        if schema?.equals("cascade/v1/keyframe") ?? false {
            kind = .keyframe
            return
        }
        guard schema?.equals("cascade/v1/monitor") ?? false, let what = head.text(of: "what") else {
            return nil
        }
        if what.equals("ended") {
            kind = .ended
        } else if ["triggered", "published", "delivered"].contains(where: { what.equals($0) }) {
            kind = .underWay
        } else {
            kind = what.equals("sampled") ? .sampled : .happening
        }
    }

    /// The line.
    var text: String {
        String(decoding: line, as: UTF8.self)
    }

    /// The line as JSON; `nil` if it is none.
    var json: JSONValue? {
        try? JSONValue(parsing: line)
    }

    /// The outcome of a message that ended.
    var outcome: String? {
        line.prefix(8_192).text(of: "outcome").map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Reads the times of lines that follow each other: most are of the same second.
struct CaptureClock {
    private var second: [UInt8] = []
    private var begin: Int64 = 0

    /// Reads a time in the form of ``Timestamp``.
    mutating func read(_ text: Slice<UnsafeRawBufferPointer>) -> Timestamp? {
        guard text.count == 27 else {
            return nil
        }
        if !second.elementsEqual(text.prefix(19)) {
            guard let time = Timestamp(String(decoding: text, as: UTF8.self)) else {
                return nil
            }
            second = Array(text.prefix(19))
            begin = time.microseconds - time.microseconds % 1_000_000
            return time
        }
        var fraction: Int64 = 0
        for byte in text.dropFirst(20).prefix(6) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                return nil
            }
            fraction = fraction * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return Timestamp(microseconds: begin + fraction)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The text of a member of an object, as far as it has no escapes; `nil` if there is none. A text
    /// within a text has escapes before its quotation marks, so it is not taken for a member.
    fileprivate func text(of member: String) -> Slice<UnsafeRawBufferPointer>? {
        let bytes = UnsafeRawBufferPointer(rebasing: self)
        let key = Array("\"\(member)\":\"".utf8)
        guard var start = bytes.baseAddress else {
            return nil
        }
        let end = start + bytes.count
        while let mark = memchr(start, Int32(UInt8(ascii: "\"")), end - start) {
            let found = UnsafeRawPointer(mark)
            if end - found >= key.count, memcmp(found, key, key.count) == 0 {
                let rest = self[(startIndex + (found - end) + bytes.count + key.count)...]
                return rest.firstIndex(of: UInt8(ascii: "\"")).map { rest[..<$0] }
            }
            start = found + 1
        }
        return nil
    }

    fileprivate func equals(_ text: String) -> Bool {
        elementsEqual(text.utf8)
    }
}
