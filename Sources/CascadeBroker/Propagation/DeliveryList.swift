// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The ends of a chain of deliveries; the links are in the deliveries themselves.
struct DeliveryList: Sendable {
    var first = Slab<Delivery>.Slot.none
    var last = Slab<Delivery>.Slot.none

    var isEmpty: Bool {
        first == .none
    }
}
