// SPDX-License-Identifier: Apache-2.0

package import Cascade

/// How well printers do, from 0 to 1: one that is not well offers its own, and each place above
/// stands for its weakest one.
package enum HealthKey: PreferenceKey {
    package static let defaultValue = 1.0
    package static let reducer = PreferenceReducer.min
}
