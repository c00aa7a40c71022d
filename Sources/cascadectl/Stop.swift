// SPDX-License-Identifier: Apache-2.0

import Cascade
import ZeroMQ

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
        case let error as ZeroMQError: self.init(.failure, "\(error)")
        default: return nil
        }
    }
}
