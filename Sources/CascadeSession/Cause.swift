// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The event or publication that caused another message.
package struct Cause: Hashable, Sendable {
    package var id: EventID
    /// The number of its own causes.
    package var depth: UInt16
    /// The trace and span in which it was raised. Messages that it causes belong to them too.
    package var traceParent: TraceParent?

    package init(id: EventID, depth: UInt16, traceParent: TraceParent? = nil) {
        self.id = id
        self.depth = depth
        self.traceParent = traceParent
    }
}
