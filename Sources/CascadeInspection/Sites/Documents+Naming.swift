// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

extension RouteDocument {
    /// Returns the document with other names of its places, in the reasons as well.
    package func naming(_ name: (NodePath) -> NodePath) -> RouteDocument {
        var document = self
        document.from = from.map(name)
        document.responders = responders.map { step in
            var step = step
            step.path = name(step.path)
            step.why = step.why.renamingPlaces(name)
            return step
        }
        return document
    }
}

extension ExplanationDocument {
    /// Returns the document with other names of its places, in the reasons as well.
    package func naming(_ name: (NodePath) -> NodePath) -> ExplanationDocument {
        var document = self
        document.at = at.map(name)
        document.candidates = candidates.map { candidate in
            // A rule is named by its file and line, and its predicate may contain any text.
            guard candidate.kind.known != .rule else {
                return candidate
            }
            var candidate = candidate
            candidate.why = candidate.why.renamingPlaces(name)
            if let from = candidate.from.flatMap({ try? NodePath($0) }) {
                candidate.from = name(from).description
            }
            return candidate
        }
        return document
    }
}
