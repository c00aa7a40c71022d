// SPDX-License-Identifier: Apache-2.0

import Cascade
import ZeroMQ

/// Ends a command early: with what exit status, and what a person is told.
struct Stop: Error {
    let status: ExitStatus
    /// `nil` if everything has been said.
    let message: String?

    init(_ status: ExitStatus, _ message: String? = nil) {
        self.status = status
        self.message = message
    }

    /// What an error that reached the end of a command means there; `nil` for those that the
    /// argument parser knows about.
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
