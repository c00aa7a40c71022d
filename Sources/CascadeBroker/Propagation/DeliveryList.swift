// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The ends of a chain of deliveries; the links are in the deliveries themselves.
struct DeliveryList: Sendable {
    var first = Header.noNode
    var last = Header.noNode

    var isEmpty: Bool {
        first == Header.noNode
    }
}
