// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no ``Handover``, in words for a person.
package struct HandoverError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
