// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What a bench measures.
enum BenchTest: String, CaseIterable, ExpressibleByArgument {
    /// Events to one receiver, not acknowledged.
    case oneway
    /// Events to one receiver, outcomes awaited, so many at a time.
    case acked
    /// The same, one at a time.
    case rtt
    /// Events, one at a time, that all receivers but the last decline.
    case chain
    /// Publications to several receivers, not acknowledged.
    case fanout

    var defaultCount: Int {
        switch self {
        case .oneway, .acked: 300_000
        case .rtt, .fanout: 20_000
        case .chain: 2_000
        }
    }
}
