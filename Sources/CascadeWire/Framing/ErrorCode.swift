// SPDX-License-Identifier: Apache-2.0

/// The registry of errors that cross the wire. Protocol.md lists what each means and who acts.
///
/// A number keeps its meaning for good; a peer that meets a number it does not know treats it as
/// ``malformed`` and shows the sentence that comes with it.
public enum ErrorCode: UInt32, Sendable, CaseIterable {
    // The session ends after one of these.
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

    // Only the request is refused.
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
    /// Policy does not allow it.
    case denied = 56

    // Why a node was detached.
    case takenOver = 64
    case left = 65
    case sessionEnded = 66
    case drained = 67
    case detached = 68
    case parentGone = 69

    // How an event may fail.
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
