// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A finished job. It goes up from the printer to the shop's floor.
package struct JobPrinted: Event {
    package let printer: String
    package let title: String
    package let byteCount: Int
    package let copies: Int

    package init(_ job: PrintJob, by printer: String) {
        self.printer = printer
        title = job.title
        byteCount = job.byteCount
        copies = job.copies
    }
}
