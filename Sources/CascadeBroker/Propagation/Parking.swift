// SPDX-License-Identifier: Apache-2.0

import CascadeWire
import DequeModule

/// The entries that wait for a node to attach, in the order in which they began to wait, each for
/// one reason.
///
/// After a restart of the daemon, events that would end for want of a node wait for the previous
/// daemon's nodes. Later only events that request it are held.
struct Parking: Sendable {
    /// `nil` once the nodes of the daemon before are no longer waited for.
    private var awaitingReattach: [Delivery.Subject]?
    /// How many of these are publications.
    private var awaitingPublicationCount = 0
    private(set) var held: [EventIndex] = []
    /// Events to be tried with nodes that have come.
    private var trials: Deque<Trial> = []
    /// When the trials go on.
    private(set) var nextTrials = DeadlineQueue.none

    /// Events that may meet a responder at nodes that have come; the next one last.
    struct Trial {
        let nodes: [NodeIndex]
        var events: [EventIndex]
    }

    // MARK: - Events

    /// Parks an event. Returns the reason.
    mutating func park(_ event: EventIndex) -> Stage.Reason {
        guard isAwaitingReattach else {
            held.append(event)
            return .held
        }
        awaitReattach(.event(event))
        return .awaitingReattach
    }

    /// Returns whether the event was parked for this reason.
    mutating func remove(_ event: EventIndex, parkedAs reason: Stage.Reason) -> Bool {
        switch reason {
        case .held:
            guard let place = held.firstIndex(of: event) else {
                return false
            }
            held.remove(at: place)
            return true
        case .awaitingReattach:
            return remove(.event(event))
        }
    }

    /// Removes and returns those of the events that are held, in their order.
    mutating func takeHeld(_ events: Set<EventIndex>) -> [EventIndex] {
        guard !events.isEmpty else {
            return []
        }
        let taken = held.filter { events.contains($0) }
        held.removeAll { events.contains($0) }
        return taken
    }

    // MARK: - Trials

    var hasTrials: Bool {
        !trials.isEmpty
    }

    /// The trials go on at this deadline.
    mutating func continueTrials(at deadline: DeadlineQueue.Handle) {
        nextTrials = deadline
    }

    /// - Parameter events: Those that are held are tried in the order in which they began to wait.
    mutating func tryWith(_ nodes: [NodeIndex], _ events: [EventIndex]) {
        guard !events.isEmpty else {
            return
        }
        var rest = Set(events)
        var order = held.filter { rest.remove($0) != nil }
        order += events.filter { rest.contains($0) }
        trials.append(Trial(nodes: nodes, events: order.reversed()))
    }

    /// The events that are still to be tried.
    var triedEvents: [EventIndex] {
        trials.flatMap(\.events)
    }

    /// Removes and returns the trials of some of the events, in their order.
    mutating func takeTrials(
        of events: Set<EventIndex>
    ) -> [(nodes: [NodeIndex], event: EventIndex)] {
        guard !events.isEmpty else {
            return []
        }
        let isIncluded = { (event: EventIndex) in events.contains(event) }
        var taken: [(nodes: [NodeIndex], event: EventIndex)] = []
        for place in trials.indices {
            let nodes = trials[place].nodes
            taken += trials[place].events.reversed().filter(isIncluded).map { (nodes, $0) }
            trials[place].events.removeAll(where: isIncluded)
        }
        trials.removeAll { $0.events.isEmpty }
        return taken
    }

    /// Removes and returns the nodes and the event of the next trial.
    mutating func nextTrial() -> (nodes: [NodeIndex], event: EventIndex)? {
        guard !trials.isEmpty, let event = trials[0].events.popLast() else {
            return nil
        }
        let nodes = trials[0].nodes
        if trials[0].events.isEmpty {
            trials.removeFirst()
        }
        return (nodes, event)
    }

    // MARK: - The nodes of the daemon before

    var isAwaitingReattach: Bool {
        awaitingReattach != nil
    }

    mutating func beginReattach() {
        awaitingReattach = awaitingReattach ?? []
    }

    mutating func awaitReattach(_ subject: Delivery.Subject) {
        guard isAwaitingReattach else {
            return
        }
        awaitingReattach?.append(subject)
        if case .publication = subject {
            awaitingPublicationCount += 1
        }
    }

    /// Returns whether it waited.
    @discardableResult
    mutating func remove(_ subject: Delivery.Subject) -> Bool {
        guard let place = awaitingReattach?.firstIndex(of: subject) else {
            return false
        }
        awaitingReattach?.remove(at: place)
        if case .publication = subject {
            awaitingPublicationCount -= 1
        }
        return true
    }

    /// Removes and returns the waiting messages of these events, and the publications, in the order
    /// in which they began to wait: a publication without a subscriber waits again. Costs nothing
    /// if none wait, for many nodes may reattach while many events wait.
    mutating func takeAwaitingReattach(_ events: Set<EventIndex>) -> [Delivery.Subject] {
        guard let subjects = awaitingReattach, !events.isEmpty || awaitingPublicationCount > 0
        else {
            return []
        }
        let isTaken = { (subject: Delivery.Subject) in
            switch subject {
            case .event(let event): events.contains(event)
            case .publication: true
            }
        }
        awaitingReattach = subjects.filter { !isTaken($0) }
        awaitingPublicationCount = 0
        return subjects.filter(isTaken)
    }

    /// Ends the wait for nodes of the previous daemon. Returns the messages that no longer wait.
    mutating func endReattach() -> [Delivery.Subject] {
        defer { awaitingReattach = nil }
        return awaitingReattach ?? []
    }
}
