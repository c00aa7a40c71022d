// SPDX-License-Identifier: Apache-2.0

package import CascadeSession
package import CascadeWire
import Logging

/// Execution of the session's effects.
extension Link {
    /// Performs the effects in order, including those that are added meanwhile.
    func perform() {
        guard !isPerforming else {
            return
        }
        isPerforming = true
        defer { isPerforming = false }
        var index = 0
        while index < effects.count {
            perform(effects[index])
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .send(let header): transport?.send(header)
        case .sendMessage(let message): transport?.send(message)
        case .sendRaised(let header, let fields, let payload):
            transport?.send(header, fields: fields, payload: payload)
        case .reconnect: reconnect()
        case .invoke(let invocation): invoke(invocation)
        case .beat(let beat): passOn(.beat(beat))
        case .welcomed(let welcome):
            stopWatchingDeadlines()
            connectionChanged(.welcomed(welcome))
            passOn(.welcomed(welcome))
        case .detached(let detached): passOn(.detached(detached))
        case .violated(let violation): violated(violation)
        case .ended(let header, let message): settle(header, message)
        case .raiseRefused(let sequence, let refused):
            let error = CascadeError(refused)
            acceptanceWaiters.removeValue(forKey: sequence)?.resume(with: .failure(error))
            settle(sequence, .failure(error))
        case .accepted(let sequence):
            acceptanceWaiters.removeValue(forKey: sequence)?.resume(with: .success(()))
        case .settled(let settled):
            settle(settled.ended.sequence, .success(SettledEvent(settled)))
        case .settledBefore(let settled):
            passOn(.settledBefore(settled))
        case .attached(let request), .done(let request):
            requests.removeValue(forKey: request)?.resume(with: .success(.done))
        case .refused(let request, let refused):
            refuse(request, refused)
        case .answered(let request, let message):
            answer(request, message)
        case .cancelled(let token): passOn(.cancelled(token))
        case .environment(let path, let changes):
            passOn(.environment(path, changes))
        case .moved(let old, let new):
            moves[old] = new
            passOn(.moved(from: old, to: new))
        case .creditReturned:
            resumeCreditWaiters()
        }
    }

    private func invoke(_ invocation: Invocation) {
        do throws(WireError) {
            passOn(.invoke(invocation, try session.visit(invocation.token)))
        } catch {
            logger.error("the daemon sent a visit that cannot be read: \(error)")
            session.finished(
                invocation.token, .failed(Failure(.malformed, message: error.description)),
                microseconds: 0, into: &effects)
        }
    }

    private func settle(_ header: Header, _ message: [UInt8]) {
        do throws(WireError) {
            settle(header.sequence, .success(try session.settled(header, message)))
        } catch {
            settle(
                header.sequence,
                .failure(
                    CascadeError(.violation, "an outcome cannot be read: \(error.description)")))
        }
    }

    private func answer(_ request: UInt64, _ message: [UInt8]) {
        if let stream = repeatingQueries[request] {
            stream.yield(message)
        } else {
            requests.removeValue(forKey: request)?.resume(with: .success(.message(message)))
        }
    }

    private func refuse(_ request: UInt64, _ refused: Refused) {
        if let request = requests.removeValue(forKey: request) {
            request.resume(with: .failure(CascadeError(refused)))
        } else if let stream = repeatingQueries[request] {
            stream.yield(refused.encoded())
        } else if request == session.reattachRequest {
            // Another session has taken a path before this session reattached.
            passOn(.reattachRefused(CascadeError(refused)))
        }
    }

    private func resumeCreditWaiters() {
        guard !creditWaiters.isEmpty, session.canRaise else {
            return
        }
        let waiters = creditWaiters
        creditWaiters = []
        for waiting in waiters {
            waiting.waiter.resume(with: .success(()))
        }
    }

    private func violated(_ violation: Violation) {
        // After these violations the session resumes on another connection.
        switch violation.code {
        case .shuttingDown, .greetingRequired, .notReading, .messageLost: return
        default: break
        }
        let error = CascadeError(.violation, violation.sentence, reason: violation.code)
        passOn(.violated(error))
        close(error)
    }

    private func reconnect() {
        connectionChanged(.lost)
        if let leaveRequest {
            requests.removeValue(forKey: leaveRequest)?.resume(with: .success(.done))
        }
        transport?.reconnect()
        watchDeadlines()
    }
}

extension CascadeError {
    init(_ refused: Refused) {
        self.init(.refused, refused.sentence, reason: refused.code)
    }
}

/// An event of the link for its worker, in order.
package enum LinkEvent: Sendable {
    case welcomed(Welcome)
    case invoke(Invocation, Visit)
    /// The daemon requests a beat, to be answered through the executor of the responders.
    case beat(UInt64)
    case detached(Detached)
    /// The environment of a node, or the preferences of its subtree, have changed.
    case environment(NodePath, EnvironmentChanges)
    /// The requester of this invocation no longer waits for its reply.
    case cancelled(InvocationToken)
    /// The outcome of a durable event that an earlier session triggered at a place that this
    /// session holds now. The bus repeats it until ``Link/confirm(_:)``.
    case settledBefore(Settled)
    /// A node has a new path.
    case moved(from: NodePath, to: NodePath)
    /// A path could not be attached again after a reconnect.
    case reattachRefused(CascadeError)
    /// The session has ended.
    case violated(CascadeError)
    /// No process serves the endpoint at the moment.
    case noBusFound
}

/// The state of a link's connection.
package enum LinkConnection: Sendable {
    /// The connection has broken or cannot be used; the link opens a new one.
    case lost
    /// The bus has accepted the session, for the first time or again.
    case welcomed(Welcome)
}
