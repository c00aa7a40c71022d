// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// The common base of the environment's actions: raises values as a node, or from outside the tree.
package struct Raiser: Sendable {
    private let link: Link?
    package let origin: RaiseOptions.Origin

    package init(link: Link?, origin: RaiseOptions.Origin) {
        self.link = link
        self.origin = origin
    }

    /// Returns the link to the bus. Throws ``CascadeError`` outside the code of a node.
    func running() throws -> Link {
        guard let link else {
            throw CascadeError(
                .notRunning, "the bus was used outside the code of a node that is attached")
        }
        return link
    }

    func raise(_ raising: Raising, _ options: RaiseOptions) async throws -> RaisedEvent {
        try await running().raise(raising, options)
    }

    func emit(_ raising: Raising, _ options: RaiseOptions) async throws {
        try await running().emit(raising, options)
    }

    func options(
        _ direction: RaiseOptions.Direction, includingSelf: Bool = false,
        deadline: Duration? = nil, hold: Duration? = nil, onLoss: LossPolicy = .fail,
        flags: HeaderFlags = []
    ) -> RaiseOptions {
        var flags = flags
        if includingSelf {
            flags.insert(.includingSelf)
        }
        if onLoss == .pass {
            flags.insert(.passOnLoss)
        }
        var options = RaiseOptions(
            direction, from: origin, deadlineMilliseconds: deadline?.wholeMilliseconds ?? 0,
            flags: flags)
        options.holdMilliseconds = hold?.wholeMilliseconds ?? 0
        // A value raised during a visit or delivery has that visit or delivery as its cause.
        options.cause = EnvironmentValues.current.visit?.cause
        options.traceParent = VisitSpan.current
        return options
    }
}

extension Duration {
    /// The duration in whole milliseconds, at least 1: on the wire, 0 stands for the default.
    package var wholeMilliseconds: UInt32 {
        let milliseconds =
            components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return UInt32(clamping: max(1, milliseconds))
    }
}
