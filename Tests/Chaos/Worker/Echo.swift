// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The handler of the measured round trips.
struct Echo: Sendable {
    let history: History

    @Environment(\.visit) private var visit

    /// Returns a node that handles each ``Ping``.
    func handling(_ node: Node) -> Node {
        node.task { history.write("attached") }
            .handle(Ping.self) { ping in
                let mark = visit?.isRedelivered == true ? "again" : "first"
                history.write("visit \(ping.words) \(visit?.id.description ?? "-") \(mark)")
                history.write("handled \(ping.words)")
            }
    }
}
