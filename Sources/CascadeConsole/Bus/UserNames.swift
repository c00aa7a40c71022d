// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeWire
import Synchronization

/// The names of users, each looked up once.
final class UserNames: Sendable {
    private let names = Mutex<[UInt32: String?]>([:])

    func name(_ userID: UInt32) -> String? {
        names.withLock { names in
            if let known = names[userID] {
                return known
            }
            let name = UserName.of(userID)
            names[userID] = .some(name)
            return name
        }
    }
}
