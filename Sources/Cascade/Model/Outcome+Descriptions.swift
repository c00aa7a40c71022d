// SPDX-License-Identifier: Apache-2.0

// The outcomes in the words of the command line, in one line each.

extension Outcome: CustomStringConvertible {
    /// The outcome in one line, as in `handled by /app`, with control characters escaped for
    /// terminals.
    public var description: String {
        switch self {
        case .handled(let node): "handled by \(node)"
        case .unhandled: "unhandled"
        case .failed(let failure): "failed: \(failure)"
        case .timedOut(let node): "timed out at \(node)"
        case .caught(let failure, let node): "caught by \(node): \(failure)"
        case .rejected(let failure): "rejected: \(failure)"
        case .looped(let failure): "looped: \(failure)"
        }
    }
}

extension RequestOutcome: CustomStringConvertible {
    /// The outcome in one line, as in `answered by /app: 7`, with control characters escaped for
    /// terminals.
    public var description: String {
        switch self {
        case .answered(let reply, let node): "answered by \(node): \("\(reply)".safeForTerminal)"
        case .unhandled: "unhandled"
        case .failed(let error): "failed: \(error.failure)"
        case .timedOut(let node): "timed out at \(node)"
        case .rejected(let failure): "rejected: \(failure)"
        case .looped(let failure): "looped: \(failure)"
        }
    }
}

extension CascadeOutcome: CustomStringConvertible {
    /// The outcome in one line, as in `run by /app/cart, /app; failed at /app/menu`, with control
    /// characters escaped for terminals.
    public var description: String {
        switch self {
        case .cascaded(let nodes, let failures):
            (nodes.isEmpty ? "no node ran it" : "run by \(nodes.listed)")
                + (failures.isEmpty ? "" : "; failed at \(failures.map(\.path).listed)")
        case .rejected(let failure): "rejected: \(failure)"
        case .looped(let failure): "looped: \(failure)"
        case .failed(let failure): "failed: \(failure)"
        }
    }
}

extension PublicationOutcome: CustomStringConvertible {
    /// The outcome in one line, as in `delivered to /app/board`, with control characters escaped for
    /// terminals.
    public var description: String {
        switch self {
        case .delivered(let nodes): "delivered to \(nodes.listed)"
        case .noSubscriber: "no subscriber"
        case .failed(let failure): "failed: \(failure)"
        case .timedOut: "timed out"
        }
    }
}

extension DurableOutcome: CustomStringConvertible {
    /// The name and outcome in one line, as in `PrintJob handled by /shop`.
    public var description: String {
        "\(name) \(outcome)"
    }
}

extension [NodePath] {
    fileprivate var listed: String {
        map(\.description).joined(separator: ", ")
    }
}
