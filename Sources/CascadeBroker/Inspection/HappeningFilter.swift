// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// Decides which happenings a monitor is told of.
struct HappeningFilter: Sendable {
    private let name: Glob?
    private let path: Glob?
    /// Maximum length of a pattern, which takes memory as long as its monitor exists.
    private static let patternByteCountMax = 1_024

    private let kinds: Set<HappeningKind>

    init(_ filter: MonitorFilter) throws(WireError) {
        name = try Self.glob(filter.name)
        path = try Self.glob(filter.path)
        kinds = Set(filter.kinds.isEmpty ? HappeningKind.allCases : filter.kinds)
    }

    private static func glob(_ pattern: String?) throws(WireError) -> Glob? {
        guard let pattern else {
            return nil
        }
        guard pattern.utf8.count <= patternByteCountMax else {
            throw WireError(
                .badPredicate,
                "the pattern has \(pattern.utf8.count) bytes, more than \(patternByteCountMax)")
        }
        return Glob(pattern)
    }

    /// A happening concerns every place that it names, as far as the viewer is shown it: which
    /// patterns match says as much as the path itself.
    func admits(_ happening: Happening, to viewer: inout Viewer) -> Bool {
        guard kinds.contains(happening.kind) else {
            return false
        }
        if let name, !(happening.name.map { name.matches($0.description) } ?? false) {
            return false
        }
        guard happening.isVisible(to: &viewer) else {
            return false
        }
        guard let path else {
            return true
        }
        let places =
            [happening.path, happening.by, happening.formerPath].compactMap(\.self)
            + (happening.paths ?? [])
        return places.contains { path.matches($0.description) && viewer.sees($0) }
    }
}
