// SPDX-License-Identifier: Apache-2.0

/// Which responders a value moving up can meet.
public enum Lane: UInt8, Sendable, CaseIterable {
    case event = 0
    /// Errors: reported by a node, or thrown by a responder.
    case error = 1
    /// Events that are answered with a value.
    case request = 2
    /// Events that every ancestor may act on, and no ancestor can stop.
    case cascade = 3

    /// The lane as the command line and its documents write it.
    public var name: String {
        "\(self)"
    }
}

extension Lane {
    /// A lane that came over the wire.
    init(decoding number: UInt8) throws(WireError) {
        guard let lane = Lane(rawValue: number) else {
            throw WireError("there is no lane \(number)")
        }
        self = lane
    }
}
