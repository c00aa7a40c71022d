// SPDX-License-Identifier: Apache-2.0

import Glibc
import ZMTP

/// Accepting connections: by the credentials that the kernel reports, before a byte is read.
extension Transport {
    mutating func acceptConnections(at now: Duration) {
        hasPendingAccepts = false
        for listener in listeners where !listener.hasEnded {
            acceptConnections(of: listener, at: now)
        }
    }

    /// The event loop reports again if connections are left after ``acceptsPerTurn``.
    private mutating func acceptConnections(of listener: Listener, at now: Duration) {
        for acceptedCount in 0..<Self.acceptsPerTurn {
            switch listener.accept() {
            case .connection(let descriptor, let credentials):
                listener.acceptFailure = nil
                accepted(descriptor, credentials, at: now)
            case .exhausted: events.append(.descriptorsExhausted)
            case .stuck:
                events.append(.descriptorsExhausted)
                pauseAccepting(at: now)
                return
            case .failed(let error):
                // Each pause ends with the same error, perhaps for as long as the listener is there.
                if listener.acceptFailure != error.code {
                    listener.acceptFailure = error.code
                    events.append(.acceptFailed(error))
                }
                pauseAccepting(at: now)
                return
            case .none:
                // The event loop has reported a connection.
                if acceptedCount == 0, listener.isShutDown {
                    listener.hasEnded = true
                    epoll.remove(listener.descriptor)
                    events.append(.listenerEnded(path: listener.path))
                }
                return
            }
        }
    }

    /// Waits until connections can be accepted: the listeners would otherwise end each wait. They leave
    /// the event loop, which always reports a socket that has ended.
    private mutating func pauseAccepting(at now: Duration) {
        for listener in listeners {
            epoll.remove(listener.descriptor)
        }
        acceptingResumes = now + Self.acceptingPause
    }

    mutating func resumeAccepting(at now: Duration) {
        acceptingResumes = nil
        for listener in listeners where !listener.hasEnded {
            do throws(SystemError) {
                try epoll.add(listener.descriptor, .readable, token: Token.ofListener)
            } catch {
                // The kernel's memory, or the bound of the user's epoll watches.
                pauseAccepting(at: now)
                return
            }
        }
    }

    private mutating func accepted(
        _ descriptor: Int32, _ credentials: PeerCredentials, at now: Duration
    ) {
        var refusal = admission.admit(credentials.userID, at: now)
        if case .tooManyUnopened = refusal, makeRoom(for: credentials.userID, at: now) {
            refusal = admission.admit(credentials.userID, at: now)
        }
        if let refusal {
            Glibc.close(descriptor)
            events.append(.refused(credentials, .limit(refusal)))
            return
        }
        do throws(SystemError) {
            let id = try insert(
                descriptor, credentials, configuration.connection, isOutgoing: false, at: now)
            admission.begin(id, of: credentials.userID)
        } catch {
            // The bound of the user's epoll watches, or of the kernel's memory.
            admission.remove(nil, of: credentials.userID, at: now)
            events.append(.descriptorsExhausted)
        }
    }

    /// Closes the user's connection whose handshake has taken longest, if that is long enough. So
    /// connections that say nothing do not keep away those that do.
    private mutating func makeRoom(for userID: UInt32, at now: Duration) -> Bool {
        guard let id = admission.oldestUnopened(of: userID), let connection = table[id],
            let deadline = connection.pointee.engine.deadline,
            deadline - configuration.connection.handshakeDuration + Self.spareDuration <= now
        else {
            return false
        }
        events.append(.refused(connection.pointee.credentials, .replaced))
        remove(id, at: now)
        return true
    }

    /// How long a handshake may take before a newer connection of the user may replace it.
    private static let spareDuration = Duration.seconds(1)
}
