// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Ends of events on another bus, as the node that connects it tells them with its verdict.
extension Broker {
    /// Takes over what a verdict says about the event on another bus. Returns whether that was all of the
    /// verdict: otherwise its code says how the event goes on here.
    mutating func hasEndedRemotely(
        _ event: EventIndex, _ answer: Answer, at stop: Stop
    ) -> Bool {
        let isCascade = traffic.events[event].lane == .cascade
        guard answer.remote != nil || isCascade, hierarchy[stop.node].isUplink else {
            return false
        }
        let remote = limited(answer.remote ?? RemoteEnd(), to: stop.node)
        for visit in remote.trail {
            traffic.events[event].append(
                TrailVisit(visit, name: names.existingNumber(of: visit.name) ?? NameIndex.none))
        }
        guard !isCascade else {
            return hasRunRemotely(event, answer, remote, at: stop)
        }
        if let outcome = remote.outcome, answer.code == .failed, stop.kind != .observe {
            end(event, outcome, answer, remote, at: stop)
            return true
        }
        if answer.code == .handled || answer.code == .answered {
            traffic.events[event].handled(byRemote: handler(remote, at: stop))
        }
        return false
    }

    /// The node that handled the event on the other bus. The last visit of a trail there need not be of it.
    private func handler(_ remote: RemoteEnd, at stop: Stop) -> NodePath? {
        remote.handler ?? (remote.trail.isEmpty ? nil : hierarchy.path(of: stop.node))
    }

    /// A mount speaks for the places below it, and for those of buses that this one does not know.
    private func limited(_ remote: RemoteEnd, to node: NodeIndex) -> RemoteEnd {
        guard node != Hierarchy.root else {
            return remote
        }
        let mount = hierarchy.path(of: node)
        let isOwn = { (path: NodePath) in mount.contains(path) || path.isForeign }
        var limited = remote
        limited.handler = remote.handler.flatMap { isOwn($0) ? $0 : nil }
        limited.trail.removeAll { !isOwn($0.path) }
        limited.recipients.removeAll { !isOwn($0) }
        return limited
    }

    /// A cascade has run at nodes of the other bus, and not at the node that connects it. If that node has
    /// passed the cascade, it has run nowhere there.
    private mutating func hasRunRemotely(
        _ event: EventIndex, _ answer: Answer, _ remote: RemoteEnd, at stop: Stop
    ) -> Bool {
        guard answer.code == .passed || answer.code != .failed && !remote.recipients.isEmpty else {
            return false
        }
        release(answer.payload)
        for path in remote.recipients {
            traffic.events[event].recordRun(at: path)
        }
        move(event, to: stop.node, cursor: stop.responder + 1)
        advance(event)
        return true
    }

    /// Ends the event as it ended on the other bus.
    private mutating func end(
        _ event: EventIndex, _ outcome: OutcomeCode, _ answer: Answer, _ remote: RemoteEnd,
        at stop: Stop
    ) {
        release(answer.payload)
        var failure = answer.failure ?? Failure(.responderFailed)
        failure.node = failure.node ?? hierarchy.path(of: stop.node)
        switch outcome {
        case .unhandled:
            settle(event, outcome)
        case .caught:
            traffic.events[event].handled(byRemote: handler(remote, at: stop))
            settle(event, outcome, by: stop, failure: failure)
        case .failed, .timedOut, .rejected, .looped:
            settle(event, outcome, failure: failure)
        case .handled, .delivered, .noSubscriber, .cascaded:
            fail(event, .badVerdict, at: stop)
        }
    }
}

extension TrailVisit {
    /// A visit on another bus. Its name is a text, unless it has a number here.
    fileprivate init(_ visit: VisitRecord, name: NameIndex) {
        self.init(
            path: visit.path,
            words: Words(name: visit.name, message: visit.message, title: visit.title),
            microseconds: UInt32(clamping: visit.microseconds), name: name,
            responder: UInt16(clamping: visit.responder), kind: visit.kind,
            verdict: visit.verdict, hasTimedOut: visit.hasTimedOut)
    }
}
