// SPDX-License-Identifier: Apache-2.0

import CascadeSite

/// Decides what of the links is logged. Repeated attempts with one result have one line, until a link is up
/// or the configuration is read again.
struct LinkLog {
    private static let childCountMax = GateConfiguration.childCountMax

    /// Why the last link to the parent, or the last attempt to open one, has ended.
    private(set) var lastEnd: String?
    private var hasLoggedCut = false
    private var lastRefusal: String?
    /// What the log says of each child whose last attempt had no success.
    private var failures: [SiteName: String] = [:]

    /// Returns whether to log why a link to the parent, or an attempt to open one, has ended.
    ///
    /// - Parameter reports: The reports of the bridge since. That of a lost link contains the reason.
    mutating func admits(end: String, before reports: [BridgeReport]) -> Bool {
        defer { lastEnd = end }
        return end != lastEnd && !reports.contains(.changed(.waiting))
    }

    /// Returns whether to log a report of the bridge.
    mutating func admits(_ report: BridgeReport) -> Bool {
        switch report {
        case .changed(.up):
            lastEnd = nil
            hasLoggedCut = false
            lastRefusal = nil
        case .changed(.cut):
            defer { hasLoggedCut = true }
            return !hasLoggedCut
        case .changed(.refused(let reason)):
            defer { lastRefusal = reason }
            return reason != lastRefusal
        default: break
        }
        return true
    }

    /// Returns the reports of a gate to log. A link that ends in the turn in which it opens is only an
    /// attempt: the gate's own bus cannot be reached.
    mutating func admitted(_ reports: [GateReport]) -> [GateReport] {
        let ended = Set(
            reports.compactMap { if case .ended(let key, _) = $0 { key } else { nil } })
        return reports.filter { report in
            switch report {
            case .opened(let key, _, _, _):
                guard !ended.contains(key) else {
                    return false
                }
                failures[key.child] = nil
                return true
            case .ended(let key, let end):
                return isNew(end.description, of: key.child)
            case .refused(let child, let refusal):
                // The sentence about a taken name has a time that grows.
                return isNew(refusal.holder ?? refusal.message, of: child)
            }
        }
    }

    private mutating func isNew(_ failure: String, of child: SiteName) -> Bool {
        // Sites that the configuration does not name may have any names.
        if failures.count >= Self.childCountMax, failures[child] == nil {
            failures = [:]
        }
        return failures.updateValue(failure, forKey: child) != failure
    }
}
