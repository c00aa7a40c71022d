// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// A broken promise.
package struct Finding: Sendable, CustomStringConvertible {
    /// The name of the oracle.
    package var oracle: String
    package var sentence: String
    /// The event concerned, to select lines of the history.
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
