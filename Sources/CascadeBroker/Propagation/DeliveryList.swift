// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The ends of a chain of deliveries; the links are in the deliveries themselves.
struct DeliveryList: Sendable {
    var first = DeliveryIndex.none
    var last = DeliveryIndex.none

    var isEmpty: Bool {
        first == DeliveryIndex.none
    }
}
