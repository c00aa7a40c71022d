// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// One entry of a node's ordered list, as the broker matches it.
struct Responder: Equatable, Sendable {
    /// Stands for no predicate.
    static let always = UInt16.max

    var kind: ResponderKind
    /// The number of the name it responds to; ``NameTable/none`` for every name.
    var name: NameIndex
    /// The place of its predicate among its node's; ``always`` for none.
    var predicate = Responder.always
    private let lanes: UInt8

    init(kind: ResponderKind, name: NameIndex, predicate: UInt16 = Responder.always) {
        self.kind = kind
        self.name = name
        self.predicate = predicate
        lanes = Lane.allCases.filter { kind.sees($0) }.reduce(0) { $0 | 1 << $1.rawValue }
    }

    /// Whether it is asked only where a predicate is true.
    var isConditional: Bool {
        predicate != Self.always
    }

    /// Whether it is for what has this name in this lane, whatever its predicate says.
    func matches(_ name: NameIndex, _ lane: Lane) -> Bool {
        (self.name == NameIndex.none || self.name == name) && lanes >> lane.rawValue & 1 == 1
    }
}
