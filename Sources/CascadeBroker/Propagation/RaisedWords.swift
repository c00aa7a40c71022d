// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// What few triggers and publications have to say beside their headers. The others, and their
/// records, have only the reference.
final class RaisedWords: Sendable {
    let raised: Raised
    /// The name that the message has now, where it has one as a text.
    let text: EventName?

    init(_ raised: Raised) {
        self.raised = raised
        text = raised.name
    }

    /// The words of a message that is called otherwise now.
    init(_ former: RaisedWords?, renamed text: EventName?) {
        raised = former?.raised ?? Raised()
        self.text = text
    }
}
