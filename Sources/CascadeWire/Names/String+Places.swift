// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns a sentence of a bus with other names of its places: `'/shop'`, or a responder as in `/shop[0]`. Other
    /// words that could be paths are left: a sentence names a rule of policy by its file.
    package func renamingPlaces(_ name: (NodePath) -> NodePath) -> String {
        split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isQuoted = word.hasPrefix("'")
            let start = isQuoted ? word.dropFirst() : word
            guard start.hasPrefix("/"), let end = start.firstIndex(of: isQuoted ? "'" : "["),
                let path = try? NodePath(String(start[..<end]))
            else {
                return String(word)
            }
            return word[..<start.startIndex] + name(path).description + start[end...]
        }.joined(separator: " ")
    }
}
