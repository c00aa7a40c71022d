// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import Testing

/// A message that violates the protocol, and the daemon's expected answer.
struct Offence {
    var code: ErrorCode
    /// Text that the sentence must contain: it names the fault.
    var words: String
    var frames: [[UInt8]]

    init(_ code: ErrorCode, _ words: String, _ frames: [UInt8]...) {
        self.code = code
        self.words = words
        self.frames = frames
    }

    /// A command with raw fields.
    init(_ code: ErrorCode, _ words: String, _ header: Header, _ fields: [UInt8] = []) {
        var header = header
        header.fieldsLength = UInt32(fields.count)
        self.init(code, words, header.encoded() + fields)
    }

    /// Sends the message on a connection of its own; the next connection must be welcomed.
    @FaultThread
    func commit(_ bus: FaultBus, isGreeted: Bool = true) throws {
        let offender = try RawPeer(bus.endpoint)
        if isGreeted {
            try offender.greet()
        }
        for frame in frames {
            try offender.send(frame)
        }
        let violation = try offender.next(Violation.self)
        #expect(violation.code == code, "\(violation.sentence)")
        #expect(violation.sentence.contains(words), "\(violation.sentence)")
        #expect(violation.sentence.isShowable, "\(violation.sentence.unicodeScalars)")
        _ = try RawPeer.greeted(bus.endpoint)
    }
}

extension String {
    /// Whether the text is printable ASCII, apart from the ellipsis of a truncated text.
    var isShowable: Bool {
        unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" }
    }
}

extension [UInt8] {
    /// One field with any bytes in it.
    static func field(_ tag: FieldTag, _ value: [UInt8]) -> [UInt8] {
        field(number: tag.rawValue, announcing: UInt32(value.count), value)
    }

    /// One field that announces any length.
    static func field(number: UInt16, announcing count: UInt32, _ value: [UInt8]) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8)]
            + (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) } + value
    }
}
