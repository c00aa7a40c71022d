// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The early end of a command, with its exit status and an error message for a person.
struct Stop: Error, Equatable, CustomStringConvertible {
    /// The exit statuses, as those of `cascadectl`.
    enum Status: Int32 {
        case failure = 1
        /// A negative answer: a step of a check has failed.
        case negative = 3
        /// Wrong usage: an invalid name, path or option.
        case usage = 64
        /// An invitation that is garbled, truncated or expired, or is for another site.
        case badData = 65
        /// A program or a service that is missing.
        case unavailable = 69
        /// What is asked for exists already, or needs another user.
        case denied = 77
        /// An invalid file of the configuration.
        case configuration = 78
    }

    let status: Status
    let description: String

    init(_ status: Status, _ description: String) {
        self.status = status
        self.description = description
    }

    /// The absence of the program `nats-server`.
    static var missingServer: Stop {
        Stop(
            .unavailable,
            "cannot find the program nats-server, which carries the links; install it: "
                + "apt-get install nats-server")
    }

    /// The error of a system call on a file.
    static func file(_ path: String, _ action: String, _ code: Int32) -> Stop {
        let hint = code == EACCES || code == EPERM ? "; run the command as root" : ""
        return Stop(
            code == EACCES || code == EPERM ? .denied : .failure,
            "cannot \(action) '\(path)': \(ErrorNumber(code))\(hint)")
    }
}
