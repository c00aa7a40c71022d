// SPDX-License-Identifier: Apache-2.0

/// The reason why a benchmark has no result.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A signal has interrupted the benchmark.
struct BenchInterrupted: Error {}
