// SPDX-License-Identifier: Apache-2.0

@_exported public import CascadeWire

/// A set of values that documents write as words.
public protocol NamedCase: CaseIterable, Hashable, Sendable {
    /// The value as documents write it.
    var name: String { get }
}

extension NamedCase where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var name: String {
        rawValue
    }
}

extension NamedCase {
    /// Returns the value with a name; `nil` if there is none.
    package init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = known
    }
}

extension Lane: NamedCase {}
extension MonitorEventKind: NamedCase {}
extension NodeState: NamedCase {}
extension OutcomeCode: NamedCase {}
extension PublishingDestination: NamedCase {}
extension ResponderKind: NamedCase {}
extension SafetyLevel: NamedCase {}

/// One of the words for the cases of `Known`, or a word that only newer daemons use.
///
/// It compares with literals (`visit.verdict == "handled"`); ``known`` is the case for a `switch`.
public struct DocumentWord<Known: NamedCase>: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(_ known: Known) {
        rawValue = known.name
    }

    /// The case; `nil` for a word that this release does not know.
    public var known: Known? {
        Known(name: rawValue)
    }
}

extension DocumentWord: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral word: String) {
        rawValue = word
    }

    public var description: String {
        rawValue
    }
}
