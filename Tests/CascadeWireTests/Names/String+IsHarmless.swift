// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether the text is printable ASCII, apart from the ellipsis of a truncated text.
    var isHarmless: Bool {
        unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" }
    }
}
