// SPDX-License-Identifier: Apache-2.0

extension Duration {
    var wholeMicroseconds: UInt32 {
        UInt32(
            clamping: components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000)
    }
}
