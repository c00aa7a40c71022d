// SPDX-License-Identifier: Apache-2.0

import Cascade

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
