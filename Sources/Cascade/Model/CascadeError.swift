// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What went wrong between a worker and the bus.
public struct CascadeError: Error, Sendable, CustomStringConvertible {
    /// What kind of error it is. Further codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind {
            case refused, violation, detached, notRunning, badPayload, badName, noBus, configuration
        }

        private let kind: Kind

        /// The bus refused what was asked; ``CascadeError/reason`` says which refusal.
        public static let refused = Code(kind: .refused)
        /// The bus ended the session because this side broke the protocol.
        public static let violation = Code(kind: .violation)
        /// A node was taken out of the tree.
        public static let detached = Code(kind: .detached)
        /// The worker has ended, or has not begun.
        public static let notRunning = Code(kind: .notRunning)
        /// A payload is not what its event's type expects.
        public static let badPayload = Code(kind: .badPayload)
        /// A name or path breaks the rule for names.
        public static let badName = Code(kind: .badName)
        /// Nobody serves the endpoint.
        public static let noBus = Code(kind: .noBus)

        /// What the worker was given to go by is wrong: a variable, an endpoint, a file with a key.
        /// It does not get better by starting the worker again.
        public static let configuration = Code(kind: .configuration)

        public var description: String {
            "\(kind)"
        }
    }

    public let code: Code
    /// The bus's own code for a refusal, a violation or a detachment.
    public let reason: ErrorCode?
    /// What happened, as a sentence for a person.
    public let message: String

    package init(_ code: Code, _ message: String, reason: ErrorCode? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }

    public var description: String {
        message
    }

    /// The exit status of a program that ends for want of this: 78 (`EX_CONFIG` of `sysexits.h`)
    /// where the same start would fail in the same way again, otherwise 1.
    public var exitStatus: Int32 {
        switch (code, reason) {
        case (.configuration, _), (.refused, .tooDeep?), (.refused, .rootReserved?): EX_CONFIG
        default: EXIT_FAILURE
        }
    }
}
