// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// No table of the daemon exceeds its limit.
struct LimitOracle {
    let limits: [String: UInt64]

    init(_ limits: Limits) {
        self.limits = Dictionary(
            limits.named.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    func check(_ sizes: [TableSize]) -> Finding? {
        for size in sizes {
            if let limit = limits[size.name], size.count > limit {
                return Finding(
                    "limit", "there are \(size.count) \(size.name), more than the limit \(limit)")
            }
        }
        return nil
    }
}
