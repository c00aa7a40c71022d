// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// The health of printers, from 0 to 1. A faulty printer offers a lower value, and each place above
/// reads the minimum.
package enum HealthKey: PreferenceKey {
    package static let defaultValue = 1.0
    package static let reducer = PreferenceReducer.min
}
