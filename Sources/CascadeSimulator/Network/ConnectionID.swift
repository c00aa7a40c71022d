// SPDX-License-Identifier: Apache-2.0

/// One connection of a process to the daemon. No number is used twice.
struct ConnectionID: Hashable {
    var number: Int
}
