// SPDX-License-Identifier: Apache-2.0

/// What an ``AlertSink`` shows of an error.
public struct Alert: Hashable, Sendable, CustomStringConvertible {
    public let title: String
    public let message: String
    /// What the error is called.
    public let name: EventName
    /// Where it began.
    public let node: NodePath?

    /// `nil` if the error has no words for people.
    public init?(_ error: AnyError) {
        guard let title = error.title else {
            return nil
        }
        self.title = title
        message = error.message ?? ""
        name = error.name
        node = error.node
    }

    /// The alert in one line, with nothing in it that could drive a terminal.
    public var description: String {
        "\(title): \(message)".safeForTerminal
    }
}
