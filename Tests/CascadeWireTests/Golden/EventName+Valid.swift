// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension EventName {
    /// A name that is known to be valid.
    init(valid name: String) {
        guard let valid = try? EventName(name) else {
            preconditionFailure("'\(name)' is no name")
        }
        self = valid
    }
}
