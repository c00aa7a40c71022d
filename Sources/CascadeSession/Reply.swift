// SPDX-License-Identifier: Apache-2.0

/// A value that goes with a verdict: what a request is answered with, or what an error carries.
package struct Reply: Sendable, Equatable {
    package var payload: [UInt8]
    /// What the payload is; `nil` for JSON.
    package var contentType: String?

    package init(payload: [UInt8], contentType: String? = nil) {
        self.payload = payload
        self.contentType = contentType
    }
}
