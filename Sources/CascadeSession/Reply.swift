// SPDX-License-Identifier: Apache-2.0

/// A value sent with a verdict: the reply to a request, or the payload of an error.
package struct Reply: Sendable, Equatable {
    package var payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    package var contentType: String?

    package init(payload: [UInt8], contentType: String? = nil) {
        self.payload = payload
        self.contentType = contentType
    }
}
