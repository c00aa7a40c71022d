// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A promise that was broken.
package struct Finding: Sendable, CustomStringConvertible {
    /// The oracle that says so.
    package var oracle: String
    package var sentence: String
    /// What it is about, for the history of it.
    package var event: EventID?
    package var session: SessionID?

    package init(
        _ oracle: String, _ sentence: String, event: EventID? = nil, session: SessionID? = nil
    ) {
        self.oracle = oracle
        self.sentence = sentence
        self.event = event
        self.session = session ?? event?.session
    }

    package var description: String {
        "\(oracle): \(sentence)"
    }
}
