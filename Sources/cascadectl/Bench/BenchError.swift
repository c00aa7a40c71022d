// SPDX-License-Identifier: Apache-2.0

/// Why a bench measured nothing.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A signal has asked the bench to end.
struct BenchInterrupted: Error {}
