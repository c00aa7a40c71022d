// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeSession
import CascadeSite
import CascadeWire
import ZeroMQ

/// Greets the site's own bus, asks which process holds its root, and leaves it again. Nothing is attached.
struct BusCheck: ~Copyable {
    private static let duration = Duration.seconds(5)
    private static let rootRequest: UInt64 = 1

    private let connection: any BusConnection
    private var session: Session
    /// The process that holds the root: this site's `cascade-site`, or without one the daemon. `nil` if the bus does
    /// not say.
    private(set) var rootHolder: UInt32?

    /// Throws an error for a person if the keys for the bus cannot be read.
    init(_ bus: String, program: String, processID: UInt32) throws {
        connection = try BusConnections.connection(to: bus, keys: BusKeys.standard(for: bus))
        var generator = SystemRandomNumberGenerator()
        session = Session(
            secret: SessionSecret(using: &generator), program: program, processID: processID)
    }

    private var now: Duration {
        MonotonicClock.time
    }

    /// Returns why the bus does not serve this site; `nil` if it does. Throws `ZeroMQError` if the process cannot
    /// wait.
    mutating func failure() throws(ZeroMQError) -> String? {
        defer { connection.close() }
        let end = now + Self.duration
        connection.open()
        while now < end {
            for event in connection.turn() {
                switch answer(of: event) {
                case .serves?: return nil
                case .fails(let reason)?: return reason
                case nil: break
                }
            }
            connection.flush()
            try connection.wait(until: end)
        }
        return "no answer within \(Self.duration)"
    }

    private enum Answer {
        case serves
        case fails(String)
    }

    /// Processes an event of the connection. Returns the bus's answer, if the event is one.
    private mutating func answer(of event: BusConnectionEvent) -> Answer? {
        var effects: [SessionEffect] = []
        switch event {
        case .opened:
            session.connected(into: &effects)
        case .message(let message):
            do throws(WireError) {
                try session.received(Header(parsing: message), message.span.bytes, into: &effects)
            } catch {
                return .fails("the bus has sent an invalid message: \(error)")
            }
        case .lost(let reason):
            return .fails(reason)
        }
        for effect in effects {
            switch effect {
            case .send(let header): connection.send(header.encoded())
            case .sendMessage(let message): connection.send(message)
            case .welcomed:
                let subject = Query.Subject.tree(path: .root, depth: 0)
                connection.send(Query(request: Self.rootRequest, subject).encoded())
            case .answered(Self.rootRequest, let message):
                rootHolder = try? TreeAnswer(parsing: message).nodes.first?.holder?.processID
                return .serves
            case .refused(Self.rootRequest, _): return .serves
            case .refused(_, let refused):
                return .fails(refused.sentence.escapedForDisplay(limit: 512))
            case .violated(let violation):
                return .fails(violation.sentence.escapedForDisplay(limit: 512))
            default: break
            }
        }
        return nil
    }
}
