// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The model's places, names and payloads in the wire format.
enum Vocabulary {
    private static let names =
        (0...ReferenceModel.Name.declaredCount).compactMap { try? EventName("Name\($0)") }
        + [.nodeLost, .timedOut, .looped, .responderFailed].map { (code: ErrorCode) in
            EventName(code)
        }
    private static let paths = (0..<ReferenceModel.placesMax).map { place in
        NodePath(joining: components(place))
    }
    private static let numbers = Dictionary(
        uniqueKeysWithValues: names.enumerated().map { ($0.element, $0.offset) })
    private static let places = Dictionary(
        uniqueKeysWithValues: paths.enumerated().dropFirst().map { ($0.element, $0.offset) })
    /// The payloads, by the facts they contain.
    private static let payloads: [[UInt8]] = [
        [], Array(#"{"a":1}"#.utf8), Array(#"{"b":"x"}"#.utf8), Array(#"{"a":1,"b":"x"}"#.utf8),
    ]
    static let attribute = Attribute("a", "1")

    private static func components(_ place: Int) -> [String] {
        place <= 1 ? [] : components(place / 2) + ["p\(place % 2)"]
    }

    static func path(_ place: ReferenceModel.Place) -> NodePath {
        paths[place]
    }

    /// 0 for a path outside of the model.
    static func place(_ path: NodePath) -> ReferenceModel.Place {
        places[path] ?? 0
    }

    static func name(_ name: ReferenceModel.Name) -> EventName {
        names[name.number]
    }

    static func name(_ name: EventName) -> ReferenceModel.Name? {
        numbers[name].map { ReferenceModel.Name(number: $0) }
    }

    static func payload(_ facts: ReferenceModel.PredicateValues) -> [UInt8] {
        payloads[facts.rawValue >> 1]
    }

    static func facts(_ payload: [UInt8]) -> ReferenceModel.PredicateValues {
        ReferenceModel.PredicateValues(rawValue: (payloads.firstIndex(of: payload) ?? 0) << 1)
    }

    static func errors(_ failure: Failure?) -> [ReferenceModel.Trouble] {
        guard let failure else {
            return []
        }
        return ([failure] + failure.causes).map { failure in
            ReferenceModel.Trouble(
                name: name(failure.name) ?? .init(number: -1),
                place: failure.node.map(place) ?? 0)
        }
    }
}
