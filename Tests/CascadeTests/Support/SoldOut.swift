// SPDX-License-Identifier: Apache-2.0

/// What a responder may throw.
struct SoldOut: Error, CustomStringConvertible {
    var description: String {
        "nothing is left"
    }
}
