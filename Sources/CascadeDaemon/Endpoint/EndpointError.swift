// SPDX-License-Identifier: Apache-2.0

/// The reason why an endpoint cannot be served, as one sentence.
package struct EndpointError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
