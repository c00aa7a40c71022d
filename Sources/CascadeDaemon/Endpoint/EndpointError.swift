// SPDX-License-Identifier: Apache-2.0

/// Why an endpoint cannot be served, as one sentence for a person.
package struct EndpointError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
