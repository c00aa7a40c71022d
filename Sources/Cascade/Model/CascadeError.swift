// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A failure between a worker and the bus.
///
///     do {
///         try await triggerEvent(ItemSelected(item: 7), delivery: .durable)
///     } catch let error as CascadeError where error.reason == .notDurable {
///         …
///     }
public struct CascadeError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. Future versions may add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind {
            case refused, violation, detached, notRunning, badPayload, badName, configuration
        }

        private let kind: Kind

        /// The bus refused a command; ``CascadeError/reason`` is the bus's code.
        public static let refused = Code(kind: .refused)
        /// The worker or the bus violated the protocol, and the session has ended.
        public static let violation = Code(kind: .violation)
        /// A node was taken out of the tree.
        public static let detached = Code(kind: .detached)
        /// The worker has ended, or has not started.
        public static let notRunning = Code(kind: .notRunning)
        /// A payload cannot be encoded, or does not fit the expected type.
        public static let badPayload = Code(kind: .badPayload)
        /// A name or path violates the rule for names.
        public static let badName = Code(kind: .badName)
        /// The configuration of the worker is wrong: a variable, an endpoint, a key file, or the
        /// declaration of a node. A restart does not help.
        public static let configuration = Code(kind: .configuration)

        public var description: String {
            "\(kind)"
        }
    }

    /// The kind of error.
    public let code: Code
    /// The bus's code for a refusal, a violation or a detachment.
    public let reason: ErrorCode?
    /// A sentence that describes the error.
    public let message: String

    package init(_ code: Code, _ message: String, reason: ErrorCode? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }

    public var description: String {
        message
    }

    /// The error of an action that was called where no node runs.
    static var outsideNode: CascadeError {
        CascadeError(
            .notRunning,
            "no node runs this code, so the action has no place in the tree: Task.detached, a thread "
                + "and a callback do not inherit the node; copy the action to a constant in the "
                + "node's code, or start the work with Task")
    }

    /// Whether the bus could not read a predicate, a rule, a value or a name of a node.
    var isUnreadableDeclaration: Bool {
        switch (code, reason) {
        case (.refused, .badPredicate?), (.refused, .badRule?), (.refused, .badValue?),
            (.refused, .badKey?), (.refused, .badName?):
            true
        default: false
        }
    }

    /// The exit status for a program that ends because of this error: 78 (`EX_CONFIG` in
    /// `sysexits.h`) if a restart would fail in the same way, otherwise 1.
    public var exitStatus: Int32 {
        switch (code, reason) {
        case (.configuration, _), (.refused, .badPath?), (.refused, .tooDeep?),
            (.refused, .rootReserved?):
            EX_CONFIG
        default: EXIT_FAILURE
        }
    }
}

extension NodePath {
    /// Creates a path from text that comes from outside the program, such as an option or a file.
    ///
    /// Throws ``CascadeError``, which quotes the fault, if the text is not a path. In code a path
    /// is a literal: `let mount: NodePath = "/shop"`.
    public init(validating text: String) throws {
        do {
            try self.init(text)
        } catch {
            throw CascadeError(.badName, error.description)
        }
    }
}
