// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The kinds of benchmarks.
enum BenchTest: String, CaseIterable, ExpressibleByArgument {
    /// Events to one receiver, without acknowledgement.
    case oneway
    /// Events to one receiver, with outcomes, in a window.
    case acked
    /// Events to one receiver, with outcomes, one at a time.
    case rtt
    /// Events, one at a time, that all receivers but the last decline.
    case chain
    /// Publications to several receivers, without acknowledgement.
    case fanout

    var defaultCount: Int {
        switch self {
        case .oneway, .acked: 300_000
        case .rtt, .fanout: 20_000
        case .chain: 2_000
        }
    }
}
