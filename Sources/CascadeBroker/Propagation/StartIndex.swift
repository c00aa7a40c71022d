// SPDX-License-Identifier: Apache-2.0

/// Which events started at which place, by their numbers.
///
/// An event joins and leaves in constant time, and takes no memory of its own in the steady state:
/// the events of a place are a list whose links stand at the events' numbers.
struct StartIndex: Sendable {
    private static let none = UInt32.max

    /// The event that came to a place last, by the place's number.
    private var last: [UInt32] = []
    /// The neighbours of each event, by its number.
    private var links: [(before: UInt32, after: UInt32)] = []

    mutating func insert(_ event: UInt32, at place: UInt32) {
        while last.count <= place {
            last.append(Self.none)
        }
        while links.count <= event {
            links.append((Self.none, Self.none))
        }
        let before = last[Int(place)]
        if before != Self.none {
            links[Int(before)].after = event
        }
        links[Int(event)] = (before, Self.none)
        last[Int(place)] = event
    }

    mutating func remove(_ event: UInt32, from place: UInt32) {
        let (before, after) = links[Int(event)]
        if before != Self.none {
            links[Int(before)].after = after
        }
        if after == Self.none {
            last[Int(place)] = before
        } else {
            links[Int(after)].before = before
        }
    }

    /// The events that started at the place, those that came last first.
    func events(at place: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        var event = place < last.count ? last[Int(place)] : Self.none
        while event != Self.none {
            found.append(event)
            event = links[Int(event)].before
        }
        return found
    }
}
