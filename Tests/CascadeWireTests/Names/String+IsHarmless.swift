// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether it can be shown as it is: printable ASCII, and the ellipsis of what was cut.
    var isHarmless: Bool {
        unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" }
    }
}
