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
/// shows the sentence that accompanies it. A later version may add codes, so a `switch` over codes
/// has a `default`.
public struct ErrorCode: RawRepresentable, Hashable, Sendable {
    // The numbers are public by `rawValue`, and the cases are not: clients could switch over them.
    private enum Known: UInt32, CaseIterable {
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

    private let known: Known

    private init(known: Known) {
        self.known = known
    }

    /// Returns the code with a number; `nil` if this version does not know the number.
    public init?(rawValue: UInt32) {
        guard let known = Known(rawValue: rawValue) else {
            return nil
        }
        self.init(known: known)
    }

    /// The number in messages.
    public var rawValue: UInt32 {
        known.rawValue
    }
}

extension ErrorCode: CustomStringConvertible {
    /// The name in the protocol's document.
    public var description: String {
        "\(known)"
    }
}

extension ErrorCode: CaseIterable {
    /// The codes that this version knows.
    public static var allCases: [ErrorCode] {
        Known.allCases.map { ErrorCode(known: $0) }
    }
}

extension ErrorCode {
    // The session ends.
    /// Bytes that are not a valid message.
    public static let malformed = Self(known: .malformed)
    /// No such command in this version.
    public static let unknownCommand = Self(known: .unknownCommand)
    /// No common version.
    public static let versionMismatch = Self(known: .versionMismatch)
    /// The first message was no `hello`, or the daemon has forgotten the peer.
    public static let greetingRequired = Self(known: .greetingRequired)
    /// A second `hello` on a connection.
    public static let alreadyGreeted = Self(known: .alreadyGreeted)
    /// An answer to another session's delivery, or a `hello` for another user's session, or without the
    /// session's secret.
    public static let notYours = Self(known: .notYours)
    /// More events under way than granted.
    public static let creditExceeded = Self(known: .creditExceeded)
    /// The same session resumed on another connection.
    public static let superseded = Self(known: .superseded)
    /// The daemon stops.
    public static let shuttingDown = Self(known: .shuttingDown)
    /// The worker does not read its socket.
    public static let notReading = Self(known: .notReading)
    /// A number is missing between two triggers or publications of a connection.
    public static let messageLost = Self(known: .messageLost)
    /// The user has reached its limit of sessions (`sessionsPerUser`).
    public static let tooManySessions = Self(known: .tooManySessions)

    // A request is refused.
    /// A name breaks the rule.
    public static let badName = Self(known: .badName)
    /// A path breaks the rule, or a required path is missing.
    public static let badPath = Self(known: .badPath)
    /// A live session holds the path (the sentence names the process), it is kept for another user who
    /// held it, it is declared twice, or a move finds nodes or pending visits there.
    public static let pathTaken = Self(known: .pathTaken)
    /// A path has too many components.
    public static let tooDeep = Self(known: .tooDeep)
    /// A limit of the bus.
    public static let limitReached = Self(known: .limitReached)
    /// No session holds this path, or the node is not one of the session's.
    public static let noSuchNode = Self(known: .noSuchNode)
    /// `/` is the bus itself: only a session that connects another bus attaches there, with responders
    /// and values alone, and it cannot be moved or deactivated.
    public static let rootReserved = Self(known: .rootReserved)
    /// No such query, change by `administer` or kind of monitor event.
    public static let unknownQuery = Self(known: .unknownQuery)
    /// An unreadable predicate.
    public static let badPredicate = Self(known: .badPredicate)
    /// A move of a node under itself or under a node below it.
    public static let cycle = Self(known: .cycle)
    /// The event, or the retained value to be cleared, is not, or no longer, known to the bus.
    public static let noSuchEvent = Self(known: .noSuchEvent)
    /// A trigger or publication with a name that begins with `cascade.`.
    public static let reservedName = Self(known: .reservedName)
    /// A key breaks the rule for names, or is the bus's own.
    public static let badKey = Self(known: .badKey)
    /// A value is invalid JSON, or not one that the preference's reducer takes.
    public static let badValue = Self(known: .badValue)
    /// A preference's key has another reducer already (the sentence names both), or the reducer is
    /// unknown.
    public static let otherReducer = Self(known: .otherReducer)
    /// An unreadable rule.
    public static let badRule = Self(known: .badRule)
    /// The key has no value there, or no value from outside that could be removed.
    public static let noSuchKey = Self(known: .noSuchKey)
    /// The bus keeps no durable events, or this message cannot be durable.
    public static let notDurable = Self(known: .notDurable)
    /// The daemon cannot write to its disk at the moment.
    public static let journalFailed = Self(known: .journalFailed)
    /// The bus has a durable event of this session under the same number.
    public static let numberTaken = Self(known: .numberTaken)
    /// Policy does not allow it.
    public static let denied = Self(known: .denied)

    // A node was detached.
    /// Another session took the path.
    public static let takenOver = Self(known: .takenOver)
    /// The node left.
    public static let left = Self(known: .left)
    /// The session that held the node has ended.
    public static let sessionEnded = Self(known: .sessionEnded)
    /// An administrator drained the node.
    public static let drained = Self(known: .drained)
    /// An administrator detached the node.
    public static let detached = Self(known: .detached)
    /// The node's presenter is gone, or a node above it that detaches orphans has not returned within
    /// its grace time.
    public static let parentGone = Self(known: .parentGone)

    // An event failed.
    /// The node was lost while it worked on the event.
    public static let nodeLost = Self(known: .nodeLost)
    /// The deadline passed at a node.
    public static let timedOut = Self(known: .timedOut)
    /// A responder failed without an error name.
    public static let responderFailed = Self(known: .responderFailed)
    /// A verdict that the responder's kind does not allow, or one that replaces without a usable name
    /// or payload.
    public static let badVerdict = Self(known: .badVerdict)
    /// More causes than the bus allows.
    public static let looped = Self(known: .looped)
    /// Strict safety at `errorNode`: the name is declared neither there nor below.
    public static let undeclared = Self(known: .undeclared)
    /// The requester no longer waited.
    public static let cancelled = Self(known: .cancelled)
    /// The event is a poison message: the allowed number of sessions has ended with it.
    public static let quarantined = Self(known: .quarantined)
    /// A durable event had been accepted, and the bus no longer knows it.
    public static let durableLost = Self(known: .durableLost)
}
