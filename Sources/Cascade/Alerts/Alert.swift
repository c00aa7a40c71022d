// SPDX-License-Identifier: Apache-2.0

/// The title and message of an error, as an ``AlertSink`` shows them.
public struct Alert: Hashable, Sendable, CustomStringConvertible {
    public let title: String
    public let message: String
    /// The name of the error.
    public let name: EventName
    /// The node where the error began.
    public let node: NodePath?

    /// Returns `nil` if the error has no title, and therefore is not alertable.
    public init?(_ error: AnyError) {
        guard let title = error.title else {
            return nil
        }
        self.title = title
        message = error.message ?? ""
        name = error.name
        node = error.node
    }

    /// The alert in one line, with control characters escaped for terminals.
    public var description: String {
        "\(title): \(message)".safeForTerminal
    }
}
