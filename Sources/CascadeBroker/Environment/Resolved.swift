// SPDX-License-Identifier: Apache-2.0

/// What a key is for a reader, and why.
struct Resolved: Sendable {
    enum Source: Equatable, Sendable {
        case nothing
        /// Set at a place.
        case set(place: NodeIndex)
        /// By the rule of this number of the model of a place.
        case rule(place: NodeIndex, number: Int)
        /// The bus itself knows it.
        case builtIn
        /// Rules need the key to say what the key is.
        case cycle
        /// Rules need more keys behind one another than they may.
        case tooDeep
    }

    var value: KeyValue?
    var source: Source
    /// Whether another node that sees all that this one sees might read another value.
    var dependsOnNode = false
    /// How many keys behind one another rules needed for it.
    var height = 0

    static let nothing = Resolved(value: nil, source: .nothing)
}
