// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// A visit as a worker has seen it, with the paths of the whole tree.
struct OracleVisit: Equatable {
    var node: NodePath
    var responder: Int
    var id: EventID
    var origin: NodePath
    var lane: Lane
    var name: EventName
    var payload: [UInt8]
    var failures: [OracleFailure]
    /// Whether it may have had an effect before.
    var isRedelivered: Bool

    init(_ worker: OracleWorker, _ responder: Int, _ visit: Visit, _ tree: OracleTree) {
        node = worker.node.path
        self.responder = responder
        id = visit.id
        origin = tree.global(visit.origin, on: worker.site)
        lane = visit.lane
        name = visit.name
        payload = Array(visit.payload)
        failures = OracleFailure.chain(visit.failure, worker.site, tree)
        isRedelivered = visit.isRedelivered
    }
}

/// An error or a cause of one, with the path in the whole tree.
struct OracleFailure: Equatable {
    var name: EventName
    var message: String?
    var node: NodePath?

    static func chain(_ failure: Failure?, _ site: Int, _ tree: OracleTree) -> [Self] {
        guard let failure else {
            return []
        }
        // The bus names its own paths in its sentence about a deadline.
        let isLate = failure.name == Failure(.timedOut).name
        let own = Self(
            name: failure.name, message: isLate ? nil : failure.message,
            node: failure.node.map { tree.global($0, on: site) })
        return [own] + failure.causes.flatMap { chain($0, site, tree) }
    }
}

/// How a message ended, with the paths of the whole tree, and the visits on its way.
struct OracleResult: Equatable {
    struct Step: Equatable {
        var path: NodePath
        var responder: Int
        var kind: ResponderKind
        var name: EventName
        var verdict: VerdictCode
    }

    var code: OutcomeCode?
    var handler: NodePath?
    var reply: [UInt8]?
    var failures: [OracleFailure] = []
    var recipients: [NodePath] = []
    /// The trail, without the nodes that connect buses.
    var trail: [Step] = []
    var visits: [OracleVisit]

    init(_ settled: SettledEvent?, _ site: Int, _ visits: [OracleVisit], _ tree: OracleTree) {
        self.visits = visits
        guard let settled else {
            return
        }
        code = settled.ended.code
        handler = settled.by.map { tree.global($0, on: site) }
        reply = settled.reply?.payload
        failures = OracleFailure.chain(settled.ended.failure, site, tree)
        recipients = settled.ended.recipients.map { tree.global($0, on: site) }
        let mounts = tree.sites.map(\.mount)
        trail = settled.ended.trail.compactMap { visit in
            let path = tree.global(visit.path, on: site)
            return mounts.contains(path)
                ? nil
                : Step(
                    path: path, responder: visit.responder, kind: visit.kind, name: visit.name,
                    verdict: visit.verdict)
        }
    }
}
