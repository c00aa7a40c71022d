// SPDX-License-Identifier: Apache-2.0

import CascadeSite

/// Decides what of a site is logged: changes of state. That the bus, the server or a link is away has one line,
/// and so has each reason why one refuses the site, until it works again or the configuration is read again.
struct LoggedChanges {
    private static let childCountMax = GateConfiguration.childCountMax

    /// What is known of a child.
    fileprivate struct Child {
        /// The report of a link whose connection to the bus is not open yet.
        var opened: GateReport?
        /// The link that is logged as up.
        var linked: LinkKey?
        /// How it has violated the format of links that were not up.
        var violations = LoggedFaults()
        var faults = LoggedFaults()
    }

    /// Why the last link to the parent, or the last attempt to open one, has ended.
    private(set) var lastEnd: String?
    private var home = LoggedFaults()
    private var server = LoggedFaults()
    private var parent = LoggedFaults()
    private var hasLoggedCut = false
    private var children: [SiteName: Child] = [:]

    // MARK: - The site's own bus

    /// The bridge holds the root of the site's own bus.
    mutating func rootIsHeld() {
        home.end()
    }

    /// Returns whether to log why the site's own bus was lost, or cannot be reached.
    mutating func admits(homeLoss: String) -> Bool {
        home.admitsFirst(homeLoss)
    }

    // MARK: - The parent

    /// Records why a link to the parent, or an attempt to open one, has ended. The reports of the bridge since
    /// follow.
    mutating func linkHasEnded(_ reason: String) {
        lastEnd = reason
    }

    /// Returns whether to log a report of the bridge.
    mutating func admits(_ report: BridgeReport) -> Bool {
        switch report {
        case .changed(.up):
            lastEnd = nil
            hasLoggedCut = false
            parent.end()
        case .changed(.cut):
            guard !hasLoggedCut else {
                return false
            }
            hasLoggedCut = true
            // The line has the reason.
            if let lastEnd {
                _ = parent.admits(lastEnd)
            }
        case .changed(.refused(let reason)):
            // The log may have the reason as that of an attempt, after which the site was not refused yet.
            return parent.admits("refused: \(reason)")
        case .homeRefused(let sentence), .homeFault(let sentence): return home.admits(sentence)
        case .changed, .changeRefused, .leftOut, .lateOutcome: break
        }
        return true
    }

    /// Returns the reason to log why there is no link; `nil` if the log has it, or will have it with the end of the
    /// patience.
    mutating func endToLog(in state: BridgeState) -> String? {
        guard let lastEnd, state != .up, state != .waiting, parent.admitsFirst(lastEnd) else {
            return nil
        }
        return lastEnd
    }

    // MARK: - The server and the children

    /// Returns whether to log a change of the gate's connection to the server.
    mutating func admits(_ change: ServerChange) -> Bool {
        switch change {
        case .connected:
            server.end()
            return true
        case .lost(let sentence): return server.admitsFirst(sentence)
        case .refused(let sentence): return server.admits(sentence)
        }
    }

    /// Returns the reports of a gate to log. A link whose connection to the bus does not open is only an
    /// attempt.
    mutating func admitted(_ reports: [GateReport]) -> [GateReport] {
        reports.compactMap { report -> GateReport? in
            switch report {
            case .opened(let key, _, _, _):
                change(key.child) { $0.opened = report }
                return nil
            case .served(let key): return change(key.child) { $0.served(key) }
            case .ended(let key, let end):
                return change(key.child) { $0.ended(key, end) } ? report : nil
            case .refused(let child, let refusal):
                return change(child) { $0.faults.admits(refusal.holder ?? refusal.message) }
                    ? report : nil
            }
        }
    }

    private mutating func change<Result>(
        _ child: SiteName, _ body: (inout Child) -> Result
    ) -> Result {
        // Sites that the configuration does not name may have any names.
        if children.count >= Self.childCountMax, children[child] == nil {
            children = children.filter { $0.value.linked != nil }
        }
        return body(&children[child, default: Child()])
    }
}

extension LoggedChanges.Child {
    /// Returns the report to log when the bus serves a link.
    fileprivate mutating func served(_ key: LinkKey) -> GateReport? {
        guard case .opened(let openedKey, _, _, _)? = opened, openedKey == key else {
            return nil
        }
        defer { opened = nil }
        linked = key
        faults.end()
        violations.end()
        return opened
    }

    /// Returns whether to log the end of a link.
    fileprivate mutating func ended(_ key: LinkKey, _ end: LinkEnd) -> Bool {
        guard linked == key else {
            if case .fault = end {
                return violations.admits(end.description)
            }
            return faults.admitsFirst(end.description)
        }
        linked = nil
        _ = faults.admits(end.description)
        return true
    }
}

/// The faults of one thing that were logged since it worked last.
struct LoggedFaults {
    private static let countMax = 16

    /// The faults without their digits: a process, an age or a time of day alone makes no other fault.
    private var logged: Set<String> = []

    /// Returns whether to log a fault: none like it was logged, and few others.
    mutating func admits(_ fault: String) -> Bool {
        logged.count < Self.countMax
            && logged.insert(fault.filter { !$0.isNumber }).inserted
    }

    /// Returns whether to log that the thing is away: nothing was logged of it.
    mutating func admitsFirst(_ fault: String) -> Bool {
        logged.isEmpty && admits(fault)
    }

    /// The thing works again.
    mutating func end() {
        if !logged.isEmpty {
            logged = []
        }
    }
}
