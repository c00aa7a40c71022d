// SPDX-License-Identifier: Apache-2.0

import CascadeTestSupport
import CascadeWire

extension SeededGenerator {
    private static let firstLetters = Array("ABCxyz012_")
    private static let letters = Array("ABCxyz012_.:-")
    private static let scalars: [Unicode.Scalar] = [
        "\u{0}", "\u{1B}", " ", "/", "a", "é", "\u{301}", "\u{202E}", "ش", "🍲", "\u{10FFFF}",
    ]

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type = Value.self
    ) -> Value {
        // Edge cases are where lengths and widths fail.
        [0, 1, .max, .random(in: 0 ... .max, using: &self)].randomElement(using: &self) ?? 0
    }

    mutating func isLucky() -> Bool {
        Bool.random(using: &self)
    }

    mutating func list<Value>(_ make: (inout SeededGenerator) -> Value) -> [Value] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in make(&self) }
    }

    mutating func maybe<Value>(_ make: (inout SeededGenerator) -> Value) -> Value? {
        isLucky() ? make(&self) : nil
    }

    mutating func one<Value: CaseIterable>(of type: Value.Type) -> Value {
        let cases = Array(type.allCases)
        return cases[Int.random(in: cases.indices, using: &self)]
    }

    mutating func bytes(countMax: Int) -> [UInt8] {
        (0..<Int.random(in: 0...countMax, using: &self)).map { _ in
            .random(in: 0...255, using: &self)
        }
    }

    /// Any text that a peer may send.
    mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &self) {
            text.append(Self.scalars.randomElement(using: &self) ?? " ")
        }
        return String(text)
    }

    mutating func name() -> EventName {
        EventName(stringLiteral: component())
    }

    mutating func path() -> NodePath {
        list { $0.component() }.reduce(.root) { path, component in
            (try? path.appending(component)) ?? path
        }
    }

    private mutating func component() -> String {
        var name = "\(Self.firstLetters.randomElement(using: &self) ?? "_")"
        for _ in 0..<Int.random(in: 0...(NameRule.byteCountMax - 1), using: &self) {
            name.append(Self.letters.randomElement(using: &self) ?? "_")
        }
        return name
    }
}
