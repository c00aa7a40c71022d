// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A ring at a door. It comes from outside the tree:
/// `cascadectl publish DoorBell '{"door":"back"}'`.
package struct DoorBell: Event {
    package let door: String

    package init(door: String) {
        self.door = door
    }
}
