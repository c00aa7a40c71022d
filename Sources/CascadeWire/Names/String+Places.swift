// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns a sentence of a bus with other names of its places: `'/shop'`, or a responder as in `/shop[0]`.
    package func renamingPlaces(_ name: (NodePath) -> NodePath) -> String {
        split(separator: " ", omittingEmptySubsequences: false).map { word in
            let start = word.hasPrefix("'") ? word.dropFirst() : word
            let end = start.firstIndex { $0 == "'" || $0 == "[" } ?? start.endIndex
            guard start.hasPrefix("/"), let path = try? NodePath(String(start[..<end])) else {
                return String(word)
            }
            return word[..<start.startIndex] + name(path).description + start[end...]
        }.joined(separator: " ")
    }
}
