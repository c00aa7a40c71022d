// SPDX-License-Identifier: Apache-2.0

import Cascade

struct ItemSelected: Event {
    var item = 7
}

struct PriceChanged: Event {
    var price = 3
}

struct PriceOf: Request {
    typealias Reply = Int
    var item = 7
}

/// An error with a value.
struct OutOfStock: ReportableError, Equatable, CustomStringConvertible {
    var item = 7

    var description: String {
        "item \(item) is out of stock"
    }
}

/// An error with an alert message.
struct PaperJam: ReportableError, AlertableError {
    var tray = 2

    var title: String {
        "Paper jam"
    }

    var message: String {
        "open tray \(tray)"
    }
}

/// An error without properties.
struct SoldOut: Error, CustomStringConvertible {
    var description: String {
        "nothing is left"
    }
}
