// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeSite
import CascadeWire

/// What the workers of a test do.
extension OracleWorld {
    // MARK: - Raising

    /// Raises a message at a node, and returns how it ended.
    func raise(
        _ raising: Raising, _ lane: Lane, at index: Int, _ flags: HeaderFlags
    ) -> OracleResult {
        visits = []
        let worker = workers[index]
        send(worker.raise(raising, lane, flags), of: index)
        run()
        let end = worker.takeEnd()
        return OracleResult(end, worker.site, visits, tree)
    }

    /// Raises a message as a worker's session may, and returns how it ended.
    func raise(_ raising: Raising, _ options: RaiseOptions, at index: Int) -> SettledEvent? {
        visits = []
        send(workers[index].raise(raising, options), of: index)
        run()
        return workers[index].takeEnd()
    }

    /// Publishes at a node, and returns how it ended.
    func publish(
        _ raising: Raising, to destination: PublishingDestination, at index: Int,
        _ flags: HeaderFlags = []
    ) -> OraclePublication {
        deliveries = []
        let worker = workers[index]
        let options = RaiseOptions(.down(destination), from: .node(worker.path), flags: flags)
        let end = raise(raising, options, at: index)
        return OraclePublication(end, worker.site, takeDeliveries(), tree)
    }

    /// Returns the publications that workers have had, in an order that does not depend on that of the calls.
    func takeDeliveries() -> [OracleDelivery] {
        defer { deliveries = [] }
        return deliveries.sorted { "\($0)" < "\($1)" }
    }

    /// Raises a message at a node, without an eye to its end.
    func begin(_ raising: Raising, _ options: RaiseOptions, at index: Int) {
        visits = []
        send(workers[index].raise(raising, options), of: index)
        run()
    }

    /// No longer waits for the reply to a node's last request.
    func cancel(at index: Int) {
        send(workers[index].cancel(), of: index)
        run()
    }

    /// Returns how messages have ended since the last call: in the order of their nodes, then of their numbers.
    func takeEnds() -> [OracleResult] {
        workers.flatMap { worker in
            worker.takeEnds().map { OracleResult($0.end, worker.site, [], tree) }
        }
    }

    /// Ends the visits that workers have kept back.
    func finishKeptBack(_ end: InvocationResult) {
        for (index, worker) in workers.enumerated() {
            send(worker.finishKeptBack(end) { result(worker, $0, $1) }, of: index)
        }
        run()
    }

    /// Raises a message at a node, and delivers messages until the next one is for a destination.
    func begin(
        _ raising: Raising, _ lane: Lane, at index: Int,
        until isReached: (Destination, Header) -> Bool
    ) {
        visits = []
        send(workers[index].raise(raising, lane, []), of: index)
        run { destination, message in
            (try? Header(parsing: message)).map { isReached(destination, $0) } ?? false
        }
    }

    // MARK: - Asking and changing

    /// Sends a worker's request about the bus, and returns its number.
    @discardableResult
    func ask<Message: WireMessage>(
        _ message: (UInt64) -> Message, of index: Int
    ) -> UInt64 {
        let (request, messages) = workers[index].ask(message)
        send(messages, of: index)
        run()
        return request
    }

    /// Changes what a node declares.
    func change(_ index: Int, _ update: (inout NodeDeclaration) -> Void) {
        send(workers[index].change(update), of: index)
        run()
    }

    /// Changes what a node declares, and publishes at another one before any bus can tell of the change.
    func change(
        _ index: Int, _ update: (inout NodeDeclaration) -> Void, thenPublish raising: Raising,
        to destination: PublishingDestination, at publisher: Int
    ) -> OraclePublication {
        send(workers[index].change(update), of: index)
        return publish(raising, to: destination, at: publisher)
    }
}
