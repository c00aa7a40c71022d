// SPDX-License-Identifier: Apache-2.0

package import CascadeSession

/// Triggers events; called like a function.
///
///     @Environment(\.triggerEvent) var triggerEvent
///     …
///     let outcome = try await triggerEvent(ItemSelected(item: 7)).outcome
public struct TriggerEvent: Sendable {
    private let link: Link?
    private let origin: RaiseOptions.Origin

    package init(link: Link?, origin: RaiseOptions.Origin) {
        self.link = link
        self.origin = origin
    }

    /// Triggers an event. It visits the ancestors of this node, nearest first.
    ///
    /// Returns as soon as the event is on its way; waits only while the bus has given no more
    /// credit. To wait for the outcome is up to you.
    ///
    /// - Parameters:
    ///   - includingSelf: start at this node instead of its parent.
    ///   - deadline: how long each responder may take; the bus's default if `nil`.
    ///   - onLoss: what becomes of the event if a node is lost after it accepted it.
    ///   - attributes: strings that travel beside the payload.
    ///   - tracing: whether the outcome is to tell which responders were asked.
    @discardableResult
    public func callAsFunction(
        _ event: some Event, includingSelf: Bool = false, deadline: Duration? = nil,
        onLoss: LossPolicy = .fail, attributes: [String: String] = [:], tracing: Bool = false
    ) async throws -> RaisedEvent {
        var flags: HeaderFlags = []
        if includingSelf {
            flags.insert(.includingSelf)
        }
        if onLoss == .pass {
            flags.insert(.passOnLoss)
        }
        if tracing {
            flags.insert(.wantsTrail)
        }
        return try await running().raise(
            Raising(event, attributes),
            RaiseOptions(
                .up, from: origin, deadlineMilliseconds: deadline?.wholeMilliseconds ?? 0,
                flags: flags))
    }

    /// Triggers an event and forgets it: at most once, and nobody is told how it ends.
    public func emit(_ event: some Event, attributes: [String: String] = [:]) async throws {
        try await running().emit(
            Raising(event, attributes),
            RaiseOptions(.up, from: origin, flags: .unacknowledged))
    }

    private func running() throws -> Link {
        guard let link else {
            throw CascadeError(
                .notRunning, "an event was triggered outside the code of a node that is attached")
        }
        return link
    }
}

extension Raising {
    init(_ event: some Event, _ attributes: [String: String]) throws {
        self.init(
            name: try EventName(naming: type(of: event)), payload: try PayloadCodec.encode(event),
            attributes: attributes.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) })
    }
}

extension EventName {
    /// The name of an event's type. Throws ``CascadeError`` if it breaks the rule for names.
    init<E: Event>(naming type: E.Type) throws {
        do {
            try self.init(E.name)
        } catch {
            throw CascadeError(.badName, error.description)
        }
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
