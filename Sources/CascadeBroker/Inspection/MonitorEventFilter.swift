// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadeWire

/// Selects the monitor events for a monitor.
struct MonitorEventFilter: Sendable {
    private let name: Glob?
    private let path: Glob?
    /// Maximum length of a pattern, which takes memory as long as its monitor exists.
    private static let patternByteCountMax = 1_024

    private let kinds: Set<MonitorEventKind>
    /// Whether every name and every place is admitted. Kept, because it is asked for each message.
    let admitsAllPlaces: Bool

    init(_ filter: MonitorFilter) throws(WireError) {
        name = try Self.glob(filter.name)
        path = try Self.glob(filter.path)
        kinds = Set(filter.kinds.isEmpty ? MonitorEventKind.allCases : filter.kinds)
        admitsAllPlaces = filter.name == nil && filter.path == nil
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

    /// Whether the places that a monitor event names decide, which are known only when it has been made.
    var concernsPlaces: Bool {
        path != nil
    }

    func contains(_ kind: MonitorEventKind) -> Bool {
        kinds.contains(kind)
    }

    func admits(_ name: EventName?) -> Bool {
        guard let pattern = self.name else {
            return true
        }
        return name.map { pattern.matches($0.description) } ?? false
    }

    /// A monitor event concerns every place that it names and the viewer may see: a match of a
    /// hidden path would disclose that path.
    func admits(_ monitorEvent: MonitorEvent, to viewer: inout Viewer) -> Bool {
        guard kinds.contains(monitorEvent.kind), admits(monitorEvent.name),
            monitorEvent.isVisible(to: &viewer)
        else {
            return false
        }
        guard let path else {
            return true
        }
        let places =
            [monitorEvent.path, monitorEvent.by, monitorEvent.formerPath].compactMap(\.self)
            + (monitorEvent.paths ?? [])
        return places.contains { path.matches($0.description) && viewer.sees($0) }
    }
}
