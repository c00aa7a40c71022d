// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Raises values as a node, or as nobody in the tree; what every action of the environment has in
/// common.
package struct Raiser: Sendable {
    private let link: Link?
    package let origin: RaiseOptions.Origin

    package init(link: Link?, origin: RaiseOptions.Origin) {
        self.link = link
        self.origin = origin
    }

    /// The link to the bus. Throws ``CascadeError`` where no node's code runs.
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
        // Whatever is raised while something is answered was brought about by it.
        options.cause = EnvironmentValues.current.visit?.cause
        options.traceParent = VisitSpan.current
        return options
    }
}

extension Duration {
    /// At least 1, so that no duration means the default.
    package var wholeMilliseconds: UInt32 {
        let milliseconds =
            components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return UInt32(clamping: max(1, milliseconds))
    }
}
