// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// Keys of which each needs the next one, by rules, and the last the first.
package struct RuleCycle: Hashable, Sendable, CustomStringConvertible {
    package let keys: [EventName]

    /// The same cycle is the same wherever it was entered: it begins with the least key.
    init(_ keys: some Collection<EventName>) {
        let keys = Array(keys)
        let start = keys.indices.min { keys[$0].description < keys[$1].description } ?? 0
        self.keys = Array(keys[start...] + keys[..<start])
    }

    package var description: String {
        (keys + keys.prefix(1)).map(\.description).joined(separator: " → ")
    }
}
