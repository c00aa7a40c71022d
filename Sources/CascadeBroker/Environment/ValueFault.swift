// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a text that should be a value.
struct ValueFault: Error {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
