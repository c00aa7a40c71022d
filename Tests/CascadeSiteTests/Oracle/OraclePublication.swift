// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import CascadeWire

/// A publication as a subscriber has had it, with the paths of the whole tree.
struct OracleDelivery: Equatable {
    var node: NodePath
    var name: EventName
    var id: EventID
    var publisher: NodePath
    var payload: [UInt8]
    /// Whether it was published before the node subscribed.
    var isRetained: Bool

    init(_ worker: OracleWorker, _ visit: Visit, _ tree: OracleTree) {
        node = worker.node.path
        name = visit.name
        id = visit.id
        publisher = tree.global(visit.origin, on: worker.site)
        payload = Array(visit.payload)
        isRetained = visit.isRetained
    }
}

/// How a publication ended, with the paths of the whole tree, and who has had it. The order of recipients is
/// that of their paths: a site takes its turn as one.
struct OraclePublication: Equatable {
    var code: OutcomeCode?
    var recipients: [String] = []
    var failedRecipients: [String] = []
    /// The error, if one recipient failed: of several, the first one's is told.
    var failures: [OracleFailure] = []
    var deliveries: [OracleDelivery]

    init(
        _ settled: SettledEvent?, _ site: Int, _ deliveries: [OracleDelivery], _ tree: OracleTree
    ) {
        self.deliveries = deliveries
        guard let ended = settled?.ended else {
            return
        }
        func names(_ paths: [NodePath]) -> [String] {
            paths.map { tree.global($0, on: site).description }.sorted()
        }
        code = ended.code
        recipients = names(ended.recipients)
        failedRecipients = names(ended.failedRecipients)
        if failedRecipients.count == 1 {
            failures = OracleFailure.chain(ended.failure, site, tree)
        }
    }
}
