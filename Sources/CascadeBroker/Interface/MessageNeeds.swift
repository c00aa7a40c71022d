// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The duties of a host before it hands a message to the broker. Hosts do not read messages
/// themselves.
package struct MessageNeeds: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The host reports the processes that have exited: the message may ask for their places.
    package static let exits = Self(rawValue: 1)
    /// The host brings ``Broker/processFacts`` up to date.
    package static let processFacts = Self(rawValue: 2)
    /// The host bounds the time that such messages take of each turn, for they take no credit, and
    /// lets those of a peer that does not read its answers wait.
    package static let boundedTime = Self(rawValue: 4)
}

extension Payload {
    /// The needs of the message, whatever its bytes are.
    package final var needs: MessageNeeds {
        guard let byte = bytes.first, let command = Command(rawValue: byte) else {
            return []
        }
        switch command {
        case .attach: return [.exits, .boundedTime]
        case .query:
            let isForMetrics = (try? Header(parsing: bytes)).map(Query.isForMetrics) ?? false
            return isForMetrics ? [.processFacts, .boundedTime] : .boundedTime
        case .change, .leave, .cancel, .received, .recall, .activate, .administer, .set:
            return .boundedTime
        case .hello, .beat, .trigger, .accept, .verdict, .credit, .publish: return []
        // The daemon's own commands, which the broker refuses.
        case .welcome, .attached, .detached, .refused, .violation, .define, .done,
            .moved, .visit, .outcome, .itinerary, .accepted, .delivery, .settled, .answer,
            .environment:
            return []
        }
    }
}
