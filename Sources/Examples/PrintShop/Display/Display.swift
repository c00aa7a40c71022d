// SPDX-License-Identifier: Apache-2.0

import Cascade
import PrintShopEvents

/// A display, which shows announcements and door bells.
struct Display: NodeConvertible {
    let name: String
    let screen: Ledger

    @Environment(\.displayPrefix) var displayPrefix
    @Environment(\.showsDoorBell) var showsDoorBell

    var node: Node {
        Node(name)
            .subscribe(to: Announcement.self) { try screen.append(displayPrefix + $0.text) }
            .subscribe(to: DoorBell.self) { bell in
                if showsDoorBell {
                    try screen.append("\(displayPrefix)at the \(bell.door) door: ring!")
                }
            }
    }
}
