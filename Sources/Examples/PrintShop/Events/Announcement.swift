// SPDX-License-Identifier: Apache-2.0

import Cascade

/// Something that customers are to read. It comes down to the display that was set up last.
package struct Announcement: Event {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
