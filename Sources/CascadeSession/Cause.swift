// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The event or publication that brought another one about.
package struct Cause: Hashable, Sendable {
    package var id: EventID
    /// How many causes it has had itself.
    package var depth: UInt16
    /// What it was raised within: what it brings about is raised within that too.
    package var traceParent: TraceParent?

    package init(id: EventID, depth: UInt16, traceParent: TraceParent? = nil) {
        self.id = id
        self.depth = depth
        self.traceParent = traceParent
    }
}
