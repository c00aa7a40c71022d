// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// Decides which happenings a monitor is told of.
struct HappeningFilter: Sendable {
    private let name: Pattern?
    private let path: Pattern?
    private let kinds: Set<HappeningKind>

    init(_ filter: MonitorFilter) throws(WireError) {
        name = try filter.name.map { text throws(WireError) in try Pattern(text) }
        path = try filter.path.map { text throws(WireError) in try Pattern(text) }
        kinds = Set(filter.kinds.isEmpty ? HappeningKind.allCases : filter.kinds)
    }

    /// A happening concerns every place that it names.
    func admits(_ happening: Happening) -> Bool {
        guard kinds.contains(happening.kind) else {
            return false
        }
        if let name, !(happening.name.map { name.matches($0.description) } ?? false) {
            return false
        }
        guard let path else {
            return true
        }
        let places = [happening.path, happening.by].compactMap(\.self) + (happening.paths ?? [])
        return places.contains { path.matches($0.description) }
    }
}
