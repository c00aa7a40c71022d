// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSite
import CascadeWire
import ZeroMQ

/// A link that is a connection to the parent's bus: on this machine, or on a trusted network.
final class BusLink: UpperLink {
    private let endpoint: String
    private let mount: NodePath
    private let keys: () throws -> BusKeys?
    private var connection: (any BusConnection)?
    private var failure: String?
    private var dialledAt = Duration.zero
    private(set) var traffic = LinkTraffic()

    /// - Parameter keys: Reads the keys on tcp, for each attempt anew.
    init(
        to endpoint: String, mount: NodePath, keys: @escaping () throws -> BusKeys?
    ) {
        self.endpoint = endpoint
        self.mount = mount
        self.keys = keys
    }

    var pollItems: [PollItem] {
        connection?.pollItems ?? []
    }

    var hasWork: Bool {
        failure != nil || connection?.hasWork ?? false
    }

    var deadline: Duration? {
        connection?.deadline
    }

    /// Only the time of the dial is known.
    var roundTrip: Duration? {
        nil
    }

    func dial(at now: Duration) {
        dialledAt = now
        do {
            let connection = try BusConnections.connection(to: endpoint, keys: keys())
            self.connection = connection
            connection.open()
        } catch {
            failure = "\(error)"
        }
    }

    func send(_ frame: [UInt8], at now: Duration) -> Bool {
        traffic.sent(frame.count)
        connection?.send(frame)
        return true
    }

    func close(_ reason: String, at now: Duration) {
        connection?.close()
        connection = nil
    }

    func turn(at now: Duration) -> [UpperLinkEvent] {
        if let failure {
            self.failure = nil
            return [.refused(failure)]
        }
        return (connection?.turn() ?? []).map { event in
            switch event {
            case .opened:
                return .opened(LinkTerms(mount: mount, roundTrip: now - dialledAt))
            case .lost(let reason):
                connection = nil
                return .ended(reason)
            case .message(let frame):
                traffic.received(frame.count)
                return .frame(frame[...])
            }
        }
    }

    func flush(at now: Duration) {
        connection?.flush()
    }

    /// The bus of a machine or network that this site trusts sends no more than it may.
    func setFull(_ isFull: Bool, at now: Duration) {}

    func finish() {
        connection?.close()
    }
}
