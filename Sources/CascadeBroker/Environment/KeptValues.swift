// SPDX-License-Identifier: Apache-2.0

/// What is kept for one path: set from outside, or sticky.
struct KeptValues: Sendable {
    /// By the number of the key.
    var values: [KeyIndex: SetValue] = [:]
    /// The place at this path, once there is one whose values somebody reads.
    var place: NodeIndex?
}
