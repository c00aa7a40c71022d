// SPDX-License-Identifier: Apache-2.0

/// An error without properties.
struct SoldOut: Error, CustomStringConvertible {
    var description: String {
        "nothing is left"
    }
}
