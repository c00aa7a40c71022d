// SPDX-License-Identifier: Apache-2.0

import Cascade

/// An error with a value.
struct OutOfStock: ReportableError, Equatable, CustomStringConvertible {
    var item = 7

    var description: String {
        "item \(item) is out of stock"
    }
}
