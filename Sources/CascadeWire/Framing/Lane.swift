// SPDX-License-Identifier: Apache-2.0

/// Which responders a value moving up can meet.
package enum Lane: UInt32, Sendable, CaseIterable {
    case event = 0
}
