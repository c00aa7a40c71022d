// SPDX-License-Identifier: Apache-2.0

/// What a responder does with what reaches it.
public enum ResponderKind: UInt8, Sendable, CaseIterable {
    /// Answers handled or not handled.
    case receive = 1
    /// Always handles.
    case handle = 2
    /// Replaces the event for everything above, and cannot stop it.
    case transform = 3
    /// Sees the event and never stops it.
    case observe = 4
    /// Answers a request with a value, or passes.
    case respond = 5
    /// Takes an error and puts an event in its place.
    case `catch` = 6
    /// ``receive`` in the lane of errors.
    case receiveError = 7
    /// ``handle`` in the lane of errors.
    case handleError = 8
    /// ``transform`` in the lane of errors.
    case transformError = 9

    /// The kind as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }

    /// Whether a responder of this kind is asked about what moves in `lane`.
    package func sees(_ lane: Lane) -> Bool {
        switch lane {
        case .event: rawValue <= Self.observe.rawValue
        case .error: rawValue >= Self.catch.rawValue
        case .request: self == .respond || self == .observe
        case .cascade: self == .observe || self == .receive || self == .handle
        }
    }
}
