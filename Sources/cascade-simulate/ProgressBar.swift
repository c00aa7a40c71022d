// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The progress bar of a run of several seeds, shown only on a terminal.
struct ProgressBar {
    let total: Int
    private let isShown: Bool
    private var lastPerMille = -1
    private var isOnScreen = false
    private static let width = 40

    init(total: Int) {
        self.total = total
        isShown = total > 1 && isatty(STDERR_FILENO) == 1
    }

    mutating func show(_ summary: Summary) {
        let perMille = summary.seedCount * 1000 / total
        guard isShown, perMille != lastPerMille || !isOnScreen else {
            return
        }
        lastPerMille = perMille
        isOnScreen = true
        let filled = summary.seedCount * Self.width / total
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        write("\r[\(bar)] \(summary.seedCount) of \(total), \(summary.failedCount) failed")
    }

    /// Erases the bar, so that other output can be written.
    mutating func clear() {
        if isOnScreen {
            isOnScreen = false
            write("\r\u{1B}[K")
        }
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
