// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeJSON
import CascadeWire

/// A value that is set for a key at a place.
struct SetValue: Equatable, Sendable {
    enum Setter: Equatable, Sendable {
        /// The node at the place. The value is withdrawn when the node leaves.
        case node
        /// The node at the place, for the path: the value stays when the node leaves. Such a value is kept
        /// for its path, but at the root it is held, until the next node there.
        case stickyNode
        /// Another session, for the path.
        case outside
    }

    let value: KeyValue
    let setter: Setter
    /// Whether the node at the place reads it too; otherwise only its descendants do.
    let isForItself: Bool
    /// The order of assignment: a later value has a higher number. With ``firstOfRoot``, the value precedes
    /// all others.
    let order: UInt64
    let since: Instant
    let author: Provenance
    /// The account that it is charged to.
    var account = AccountTable.own
    /// Whether it is read only where neither a value nor a rule gives one.
    var isFallback = false
    /// Where it comes from, if that is another bus.
    private(set) var source: ValueSource?
    /// Since when the other bus may have another value; `nil` if it has this one.
    private(set) var staleSince: Instant?

    /// The bit in the order of a value from outside at the root.
    static let firstOfRoot: UInt64 = 1 << 63

    /// Whether it is the same as the other, set again.
    func isSame(as other: SetValue) -> Bool {
        value == other.value && setter == other.setter && isForItself == other.isForItself
            && isFallback == other.isFallback
    }

    /// Sets the bus that the value comes from. A value that stays stale has been so since the same moment.
    mutating func setSource(_ source: ValueSource?, at now: Instant) {
        self.source = source
        staleSince = source?.isStale == true ? staleSince ?? now : nil
    }

    /// The bytes that are charged for it.
    var byteCount: Int {
        value.json.utf8.count + (source?.text.utf8.count ?? 0)
    }
}

/// A value of the environment: the JSON that the bus passes on, and the form that predicates
/// compare.
struct KeyValue: Hashable, Sendable {
    /// The text, without needless space: equal texts are equal values.
    let json: String
    /// Nothing for arrays and objects, which no predicate compares.
    let scalar: Scalar?

    init(_ value: JSONValue) {
        json = value.text
        scalar = Scalar(value)
    }

    /// Values nest no deeper than this.
    static let depthMax = 64

    /// Reads a value. Throws the fault in words that follow `is`.
    static func parse(_ text: String) throws(ValueFault) -> JSONValue {
        do {
            return try JSONValue(parsing: text, depthMax: depthMax)
        } catch {
            throw ValueFault(
                error.isTooDeep ? "\(error.message) (limit valueDepth)" : "no JSON: \(error)")
        }
    }
}

/// The reason why a text is not a value.
struct ValueFault: Error {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The session or file that has set a value, or declared rules.
struct Provenance: Equatable, Sendable, CustomStringConvertible {
    let processID: UInt32
    let userID: UInt32

    init(processID: UInt32, userID: UInt32) {
        self.processID = processID
        self.userID = userID
    }

    init(_ credentials: Credentials) {
        processID = credentials.processID
        userID = credentials.userID
    }

    var description: String {
        "process \(processID) of user \(userID)"
    }
}

/// The values of one key at one place: the node's, and the path's.
///
/// The later of the two is in force for every node that sees it. The other one is in force again
/// once that is withdrawn: a node's value when the value from outside is unset, and the path's
/// value when the node leaves.
struct CurrentValues: Sendable {
    /// The node's value; withdrawn when the node leaves, unless it is sticky.
    var held: SetValue?
    /// For the path; stays until it is unset.
    var kept: SetValue?

    var isEmpty: Bool {
        held == nil && kept == nil
    }

    /// The value for the descendants of the place.
    var forSubtree: SetValue? {
        guard let held, !held.isFallback else {
            return kept
        }
        guard let kept else {
            return held
        }
        return held.order > kept.order ? held : kept
    }

    /// The value that is read where nothing else gives one.
    var fallback: SetValue? {
        held?.isFallback == true ? held : nil
    }

    /// The value for the node at the place.
    var forItself: SetValue? {
        let held = held?.isForItself == true ? held : nil
        let kept = kept?.isForItself == true ? kept : nil
        return CurrentValues(held: held, kept: kept).forSubtree
    }
}

/// The values of one path: set from outside, or sticky.
struct PathValues: Sendable {
    /// By the number of the key.
    var values: [KeyIndex: SetValue] = [:]
    /// The place at this path, if it exists and its values are read.
    var place: NodeIndex?
}
