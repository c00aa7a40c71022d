// SPDX-License-Identifier: Apache-2.0

/// The value of a key for a reader, and its provenance.
struct Resolved: Sendable {
    enum Source: Equatable, Sendable {
        case nothing
        /// Set at a place.
        case set(place: NodeIndex)
        /// By the rule of this number of the model of a place.
        case rule(place: NodeIndex, number: Int)
        /// Set at the root for where nothing else gives a value.
        case fallback
        /// The bus itself knows it.
        case builtIn
        /// The rules of the key depend on the key itself.
        case cycle
        /// Rules need more keys behind one another than they may.
        case tooDeep
    }

    var value: KeyValue?
    var source: Source
    /// Whether another node that sees all that this one sees might read another value.
    var dependsOnNode = false
    /// The length of the longest chain of rules that it depends on.
    var height = 0

    static let nothing = Resolved(value: nil, source: .nothing)
}
