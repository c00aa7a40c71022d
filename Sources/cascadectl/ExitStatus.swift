// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import ZeroMQ

/// The exit status of a command. The numbers are part of the command line's contract.
enum ExitStatus: Int32 {
    case done = 0
    case failure = 1
    /// A negative answer: unhandled, no subscriber.
    case negative = 3
    /// No such node, key or event.
    case absent = 4
    /// An error that no node handled.
    case failed = 10
    /// A responder's error that was handled or caught above it.
    case caught = 11
    /// A causal chain longer than the bus allows.
    case looped = 12
    /// A violation of a declaration with strict safety.
    case rejected = 13
    /// Wrong usage: an invalid name, path or option.
    case usage = 64
    /// A payload that is not what it is said to be, for example not JSON.
    case badData = 65
    /// No bus.
    case noBus = 69
    /// A time limit or another limit was reached; a retry may succeed.
    case tryAgain = 75
    case protocolError = 76
    /// Denied by policy, or the path is taken.
    case denied = 77
    /// An invalid file of rules, configuration or policy.
    case configuration = 78
    /// The command to run exists but cannot be executed.
    case notExecutable = 126
    /// The command to run does not exist.
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
            case (nil, .configuration): .configuration
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
            default: .failure
            }
    }
}

/// The early end of a command, with its exit status and an error message.
struct Stop: Error {
    let status: ExitStatus
    /// The error message; `nil` if the error has been printed.
    let message: String?

    init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    /// Returns the exit status and message for an error; `nil` for errors of the argument parser.
    init?(_ error: any Error) {
        switch error {
        case let stop as Stop: self = stop
        case let error as CascadeError: self.init(ExitStatus(error), error.message)
        case let error as NameError: self.init(.usage, error.description)
        case let error as WireError: self.init(.protocolError, error.description)
        case let error as InspectionError: self.init(.protocolError, error.description)
        case let error as ZeroMQError: self.init(.failure, "\(error)")
        default: return nil
        }
    }
}
