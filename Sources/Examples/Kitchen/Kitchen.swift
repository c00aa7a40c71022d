// SPDX-License-Identifier: Apache-2.0

import Cascade

struct GuestsArrived: Event {
    let table: Int
}

struct DishReady: Event {
    let dish: String
    let table: Int
}

@main
struct Kitchen: Worker {
    @Environment(\.triggerEvent) var triggerEvent

    var body: [Node] {
        Node("kitchen") {
            Node("oven").subscribe(to: GuestsArrived.self) { guests in
                try await triggerEvent(DishReady(dish: "soup", table: guests.table))
            }
        }
        .handle(DishReady.self) { print("\($0.dish) for table \($0.table)") }
    }
}
