// SPDX-License-Identifier: Apache-2.0

import Cascade

/// How a command ends, in the eyes of a script. The numbers are a promise.
enum ExitStatus: Int32 {
    case done = 0
    case failure = 1
    /// A negative answer: unhandled, no subscriber.
    case negative = 3
    /// No such node, key or event.
    case absent = 4
    /// It ended in an error that no node handled.
    case failed = 10
    /// A responder failed, and its error was handled or caught above.
    case caught = 11
    /// It had more causes than the bus allows.
    case looped = 12
    /// It broke a declaration in strict safety.
    case rejected = 13
    /// Wrong usage: a bad name, path or option.
    case usage = 64
    /// A payload is not what was announced.
    case badData = 65
    /// There is no bus.
    case noBus = 69
    /// A time or a limit was reached; it may be tried again.
    case tryAgain = 75
    case protocolError = 76
    /// Denied, or the path is taken.
    case denied = 77
    /// A bad file of rules, configuration or policy.
    case configuration = 78
    /// A command that was to be run is there, and cannot be run.
    case notExecutable = 126
    /// There is no such command to be run.
    case notFound = 127
    case interrupted = 130
}

extension ExitStatus {
    init(_ outcome: OutcomeCode) {
        self =
            switch outcome {
            case .handled, .delivered, .cascaded: .done
            case .unhandled, .noSubscriber: .negative
            case .failed: .failed
            case .caught: .caught
            case .looped: .looped
            case .rejected: .rejected
            case .timedOut: .tryAgain
            }
    }

    init(_ error: CascadeError) {
        self =
            switch (error.reason, error.code) {
            case (let reason?, _): ExitStatus(reason)
            case (nil, .noBus): .noBus
            case (nil, .badName): .usage
            case (nil, .badPayload): .badData
            case (nil, .violation): .protocolError
            default: .failure
            }
    }

    private init(_ code: ErrorCode) {
        self =
            switch code {
            case .noSuchNode, .noSuchEvent, .noSuchKey: .absent
            case .badName, .badPath, .tooDeep, .rootReserved, .badPredicate, .cycle,
                .reservedName, .badKey, .otherReducer:
                .usage
            case .badValue: .badData
            case .badRule, .notDurable: .configuration
            case .pathTaken, .takenOver, .denied: .denied
            case .limitReached, .shuttingDown, .timedOut, .tooManySessions, .journalFailed:
                .tryAgain
            case .malformed, .unknownCommand, .versionMismatch, .greetingRequired,
                .alreadyGreeted, .notYours, .creditExceeded, .superseded, .notReading,
                .messageLost, .unknownQuery, .badVerdict, .numberTaken:
                .protocolError
            case .nodeLost, .responderFailed, .quarantined, .durableLost: .failed
            case .looped: .looped
            case .undeclared: .rejected
            case .left, .sessionEnded, .drained, .detached, .parentGone, .cancelled: .failure
            }
    }
}
