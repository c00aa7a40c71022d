// SPDX-License-Identifier: Apache-2.0

/// Refuses a request, trigger or publication. Nothing has changed, and the session continues.
package struct Refused: WireMessage {
    package static let command = Command.refused

    /// The request's number; 0 for a trigger or publication.
    package var request: UInt64
    /// The sequence number of the event or publication; 0 for a request.
    package var sequence: UInt64
    package var code: ErrorCode
    package var sentence: String

    package init(request: UInt64 = 0, sequence: UInt64 = 0, code: ErrorCode, sentence: String) {
        self.request = request
        self.sequence = sequence
        self.code = code
        self.sentence = sentence
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        self.init(
            request: header.id, sequence: header.sequence,
            code: ErrorCode(rawValue: header.code) ?? .malformed,
            sentence: try fields.sentence())
    }

    package var header: Header {
        Header(.refused, id: request, sequence: sequence, code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.sentence, sentence)
    }
}

extension FieldReader {
    /// Returns the text of the field `sentence`; empty without that field.
    func sentence() throws(WireError) -> String {
        var fields = self
        while let field = try fields.next() {
            if field.tag == .sentence {
                return try field.text()
            }
        }
        return ""
    }
}

/// Ends the session of a peer that has violated the protocol.
package struct Violation: WireMessage, Error {
    package static let command = Command.violation

    package var code: ErrorCode
    package var sentence: String

    package init(_ code: ErrorCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        self.init(
            ErrorCode(rawValue: header.code) ?? .malformed, try fields.sentence())
    }

    package var header: Header {
        Header(.violation, code: code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        fields.append(.sentence, sentence)
    }
}

// MARK: - Error codes

/// The codes of the errors in messages. Protocol.md lists the meaning of each, and the party that has
/// to act.
///
/// The meaning of a number never changes. A peer treats an unknown number as ``malformed``, and
/// shows the sentence that accompanies it.
public enum ErrorCode: UInt32, Sendable, CaseIterable {
    // The session ends.
    case malformed = 1
    case unknownCommand = 2
    case versionMismatch = 3
    case greetingRequired = 4
    case alreadyGreeted = 5
    case notYours = 6
    case creditExceeded = 7
    case superseded = 8
    case shuttingDown = 9
    case notReading = 10
    case messageLost = 11
    case tooManySessions = 12

    // A request is refused.
    case badName = 32
    case badPath = 33
    case pathTaken = 34
    case tooDeep = 35
    case limitReached = 36
    case noSuchNode = 37
    case rootReserved = 38
    case unknownQuery = 39
    case badPredicate = 40
    case cycle = 41
    case noSuchEvent = 42
    case reservedName = 43
    case badKey = 44
    case badValue = 45
    case otherReducer = 46
    case badRule = 47
    case noSuchKey = 48
    case notDurable = 49
    case journalFailed = 50
    case numberTaken = 51
    /// The policy does not allow it.
    case denied = 56

    // A node was detached.
    case takenOver = 64
    case left = 65
    case sessionEnded = 66
    case drained = 67
    case detached = 68
    case parentGone = 69

    // An event failed.
    case nodeLost = 96
    case timedOut = 97
    case responderFailed = 98
    case badVerdict = 99
    case looped = 100
    case undeclared = 101
    case cancelled = 102
    case quarantined = 106
    case durableLost = 103
}
