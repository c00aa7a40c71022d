// SPDX-License-Identifier: Apache-2.0

import Cascade

/// An error with words for people.
struct PaperJam: ReportableError, AlertableError {
    var tray = 2

    var title: String {
        "Paper jam"
    }

    var message: String {
        "open tray \(tray)"
    }
}
