// SPDX-License-Identifier: Apache-2.0

/// A subscription of a mount that stands for all subscribers of one name on the bus below it.
package struct StandIn: Hashable, Sendable {
    package var name: EventName
    /// The greatest level of a subscriber below. The least is always 0.
    package var levels: UInt32
    /// The instant of the last activation at that level, as a number that grows. A turn above all earlier
    /// ones makes the stand-in the most recent subscriber of its name.
    package var turn: UInt64

    package init(_ name: EventName, levels: UInt32 = 0, turn: UInt64 = 0) {
        self.name = name
        self.levels = levels
        self.turn = turn
    }

    init(_ field: FieldReader.Field) throws(WireError) {
        var parts = field.parts
        name = try EventName(decoding: parts.text())
        levels = try parts.integer()
        turn = try parts.integer()
    }

    func write(to fields: inout FieldWriter) {
        fields.append(.standIn) { parts in
            parts.append(name.description)
            parts.append(levels)
            parts.append(turn)
        }
    }
}

/// The subscribers below a stand-in for which a delivery is meant: bits 0 to 7 of the header's `code`. A node
/// at `/` publishes with the same number, and so repeats the choice on the bus below.
package enum Reach: UInt32, Sendable, CaseIterable {
    /// A retained publication, for those that have not had it: it was published before the stand-in came.
    case publishedBefore = 0
    /// The subscriber at the greatest level; among several, the one activated last.
    case last = 1
    /// All subscribers at the greatest level.
    case lastLevel = 2
    /// All subscribers at level 0.
    case firstLevel = 3
    /// All subscribers.
    case all = 4
    /// A retained publication, for later subscribers only: the recipients are elsewhere.
    case later = 5

    package init(_ destination: PublishingDestination) {
        switch destination {
        case .last: self = .last
        case .lastLevel: self = .lastLevel
        case .firstLevel: self = .firstLevel
        case .all: self = .all
        }
    }

    /// The destination; `nil` where the number stands for none.
    package var destination: PublishingDestination? {
        PublishingDestination(rawValue: rawValue)
    }
}
