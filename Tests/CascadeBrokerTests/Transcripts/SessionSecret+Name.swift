// SPDX-License-Identifier: Apache-2.0

import CascadeWire

extension SessionSecret {
    /// The secret that is called so.
    init(name: String) {
        var bytes = NameBytes(name: name)
        self.init(using: &bytes)
    }
}

private struct NameBytes: RandomNumberGenerator {
    let name: String

    mutating func next() -> UInt64 {
        SessionID(name: name).low
    }
}
