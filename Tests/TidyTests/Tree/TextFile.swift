// SPDX-License-Identifier: Apache-2.0

/// A text file of the repository, named by its path below the root.
struct TextFile: Sendable {
    let path: String
    let text: String

    var name: Substring {
        path.split(separator: "/").last ?? ""
    }

    /// The lines without their line breaks; the break that ends the last line opens no further one.
    var lines: [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.last == "" ? lines.dropLast() : lines
    }
}
