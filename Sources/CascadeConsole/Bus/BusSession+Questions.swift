// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

/// What the session asks again and again while a page is visible: the numbers, the lists and the messages.
extension BusSession {
    /// The number of monitor events about messages in a second that the bus may tell.
    private static let eventsPerSecond: UInt32 = 200
    /// The time for which monitor events gather.
    private static let gatheringTime = Duration.milliseconds(25)
    /// The time after it in which those are taken.
    private static let takingTime = Duration.milliseconds(2)
    /// The time between two questions for the numbers of the bus.
    static let pollTime = Duration.seconds(1)
    /// The time between two questions for the findings.
    private static let findingsTime = Duration.seconds(5)
    /// The time between two questions for the numbers of a bus while pages look at others.
    private static let statusInterval = Duration.seconds(5)

    /// Asks for the numbers of the bus while a page is visible, and for the lists that these say have
    /// changed.
    func askRepeatedly(_ link: Link) async throws {
        let bus = BusControl(link: link)
        var lastFindings: ContinuousClock.Instant?
        var lastUndelivered: [UInt64?] = []
        while !Task.isCancelled {
            await console.waitUntilWatched()
            let begun = ContinuousClock.now
            let status = try await bus.status()
            await console.update { $0.received(status, now: .now) }
            try await askForUnderWay(link, status)
            let undelivered = Self.undeliveredMarks(of: status)
            if undelivered != lastUndelivered {
                lastUndelivered = undelivered
                let document = try await bus.undelivered()
                let shown = (withPayloads ? document : document.withoutPayloads).json
                await console.update { $0.received(undelivered: shown, now: .now) }
            }
            if lastFindings.map({ begun - $0 > Self.findingsTime }) ?? true {
                lastFindings = begun
                let findings = try await bus.check().json
                await console.update { $0.received(findings: findings, now: .now) }
            }
            try await Task.sleep(for: Self.pollTime)
        }
    }

    /// Asks for the events under way, if there are any or were, and once in any case.
    private func askForUnderWay(_ link: Link, _ status: BusStatusDocument) async throws {
        let isAny = (status.counters["eventsUnderWay"] ?? 0) > 0
        let view = await console.view
        guard !view.isOlder, isAny || view.underWay?.json != .array([]) else {
            return
        }
        let message: [UInt8]
        do {
            message = try await link.query(.underWay)
        } catch let error as CascadeError where error.reason == .unknownQuery {
            // The daemon is of an older release.
            return
        }
        let document = try ReceivedDocument<UnderWayDocument>(parsing: message).content
        await console.update { $0.received(underWay: document, now: .now) }
    }

    /// Asks for the status of the bus at intervals while pages show other buses.
    func pollStatus(_ link: Link, _ pageActivity: PageActivity) async throws {
        let bus = BusControl(link: link)
        var last: ContinuousClock.Instant?
        while !Task.isCancelled {
            let now = ContinuousClock.now
            if pageActivity.isRecent, last.map({ now - $0 >= Self.statusInterval }) ?? true,
                await !console.isWatched
            {
                last = now
                let status = try await bus.status()
                await console.update { $0.received(status, now: .now) }
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// The numbers of a status that change with the list of undelivered and held messages.
    private static func undeliveredMarks(of status: BusStatusDocument) -> [UInt64?] {
        [
            status.uses?["undelivered"], status.uses?["held"], status.counters["unhandled"],
            status.counters["failed"], status.counters["timedOut"],
        ]
    }

    /// Does something while a page is visible, again and again.
    func whileWatched(_ body: @escaping @Sendable () async throws -> Void) async throws {
        while !Task.isCancelled {
            await console.waitUntilWatched()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await body() }
                group.addTask { await self.console.waitUntilUnwatched() }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// Passes on the monitor events.
    func monitor(_ link: Link) async throws {
        guard await !console.view.isTooBusyForMonitor else {
            try await Task.sleep(for: Self.pollTime)
            return
        }
        let query = InspectionQuery<MonitorEventDocument>.monitor(
            MonitorFilter(
                withPayloads: withPayloads, perSecond: Self.eventsPerSecond, withTrails: true))
        var gathersAt = ContinuousClock.now
        for try await message in try await link.answers(query.subject) {
            let event = try ReceivedDocument<ToldMonitorEvent>(parsing: message)
            count(event.content)
            let isTooBusy = await console.update {
                $0.received(event, now: .now)
                return $0.isTooBusyForMonitor
            }
            if isTooBusy {
                return
            }
            // Of a busy bus several events are taken at once, rather than each by a change of threads.
            if ContinuousClock.now >= gathersAt {
                try await Task.sleep(for: Self.gatheringTime)
                gathersAt = .now + Self.takingTime
            }
        }
    }

    private func count(_ event: ToldMonitorEvent) {
        metrics.countMonitorEvent()
        metrics.countLeftOut(event.leftOut?.reduce(0) { $0 + $1.value } ?? 0)
    }
}
