// SPDX-License-Identifier: Apache-2.0

import Cascade

/// A text for customers. It is published to the display that was set up last.
package struct Announcement: Event {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
