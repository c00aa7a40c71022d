// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire

/// What a gate knows of the children of the configuration, for people.
struct GateChildren {
    /// The silence after which an open link counts as unresponsive. Each side sends a keep-alive
    /// after 1.25 s.
    private static let silence = Duration.seconds(3)

    private var reportsByName: [SiteName: ChildReport] = [:]
    private var links: [SiteName: LinkKey] = [:]
    private var heardAt: [SiteName: Duration] = [:]
    /// Whether a report has changed since ``takeChanges()``.
    private var hasChanges = true

    init(_ children: [SiteName: NodePath]) {
        configure(children)
    }

    mutating func configure(_ children: [SiteName: NodePath]) {
        hasChanges = true
        reportsByName = reportsByName.filter { children[$0.key] == $0.value.mount }
        for (name, mount) in children where reportsByName[name] == nil {
            reportsByName[name] = ChildReport(name: name, mount: mount, state: .absent)
        }
    }

    /// Records that a message of a child's link has come.
    mutating func heard(_ child: SiteName, at now: Duration) {
        heardAt[child] = now
    }

    mutating func apply(_ report: GateReport, at now: Duration) {
        switch report {
        case .opened(let key, let host, let program, let roundTrip):
            links[key.child] = key
            heardAt[key.child] = now
            change(key.child) { child in
                child.state = .up
                child.since = now
                child.roundTrip = roundTrip
                child.host = host
                child.release = program
            }
        case .served: break
        case .ended(let key, let end):
            guard links[key.child] == key else {
                return
            }
            links[key.child] = nil
            change(key.child) { child in
                child.state = .cut
                child.since = now
                child.lastError = end.description
            }
        case .refused(let name, let refusal):
            change(name) { child in
                // A second machine of the name does not change the state of the first one.
                if child.state != .up, child.state != .unresponsive {
                    child.state = .refused
                    child.since = now
                }
                child.lastError = refusal.message
            }
        }
    }

    private mutating func change(_ name: SiteName, _ body: (inout ChildReport) -> Void) {
        guard var report = reportsByName[name] else {
            return
        }
        body(&report)
        reportsByName[name] = report
        hasChanges = true
    }

    /// Finds the children that have fallen silent, or are heard again.
    mutating func timePassed(at now: Duration) {
        for (name, report) in reportsByName {
            guard report.state == .up || report.state == .unresponsive, let heard = heardAt[name]
            else {
                continue
            }
            let state: ChildReport.State = now - heard > Self.silence ? .unresponsive : .up
            if state != report.state {
                change(name) { child in
                    child.state = state
                    child.since = now
                }
            }
        }
    }

    /// The reports in the order of the names.
    var all: [ChildReport] {
        reportsByName.values.sorted { $0.name.description < $1.name.description }
    }

    /// Returns all reports if one of them has changed since the last call; `nil` otherwise.
    mutating func takeChanges() -> [ChildReport]? {
        guard hasChanges else {
            return nil
        }
        hasChanges = false
        return all
    }
}
