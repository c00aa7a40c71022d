// SPDX-License-Identifier: Apache-2.0

import Cascade

/// The far end of the measured round trips: it handles each event at once.
struct Echo: Sendable {
    let history: History

    @Environment(\.visit) private var visit

    func handling(_ node: Node) -> Node {
        node.task { history.write("attached") }
            .handle(Ping.self) { ping in
                let mark = visit?.isRedelivered == true ? "again" : "first"
                history.write("visit \(ping.words) \(visit?.id.description ?? "-") \(mark)")
                history.write("handled \(ping.words)")
            }
    }
}
