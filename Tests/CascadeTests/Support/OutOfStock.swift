// SPDX-License-Identifier: Apache-2.0

import Cascade

/// An error that says which item it is about.
struct OutOfStock: ReportableError, Equatable, CustomStringConvertible {
    var item = 7

    var description: String {
        "item \(item) is out of stock"
    }
}
