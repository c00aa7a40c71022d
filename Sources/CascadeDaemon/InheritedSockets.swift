// SPDX-License-Identifier: Apache-2.0

/// Sockets that listen already and were handed to this process when it began, by what they are for.
package struct InheritedSockets: Sendable {
    /// Takes scrapers of metrics.
    package var metrics: Int32?

    package init(metrics: Int32? = nil) {
        self.metrics = metrics
    }
}
