// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// An event or publication as its origin raises it.
package struct Raising: Sendable {
    package var name: EventName
    package var payload: [UInt8]
    /// The content type of the payload; `nil` for JSON.
    package var contentType: String?
    package var attributes: [Attribute]
    /// The message and title of a reported error, for people.
    package var message: String?
    package var title: String?

    package init(
        name: EventName, payload: [UInt8], contentType: String? = nil,
        attributes: [Attribute] = [], message: String? = nil, title: String? = nil
    ) {
        self.name = name
        self.payload = payload
        self.contentType = contentType
        self.attributes = attributes
        self.message = message
        self.title = title
    }
}
