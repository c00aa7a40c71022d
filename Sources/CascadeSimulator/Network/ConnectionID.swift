// SPDX-License-Identifier: Apache-2.0

/// One connection of a process to the daemon. Numbers are never reused.
struct ConnectionID: Hashable {
    var number: Int
}
