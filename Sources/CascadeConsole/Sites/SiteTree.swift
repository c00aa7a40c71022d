// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

/// The nodes of another site, as pages are told of them.
struct SiteTree: Sendable {
    /// The number of nodes of one site that a page is told of.
    static let nodeCountMax = 4_096

    /// `{place, when, nodes, activity, more}`: the rows are those of frames, with numbers that hold in this
    /// answer alone, and `more` counts the nodes that are left out.
    let json: JSONValue

    init(_ answer: TreeAnswer, at place: NodePath, now: Timestamp) {
        let shown = answer.nodes.prefix(Self.nodeCountMax)
        var numbers: [NodePath: Int] = [:]
        var rows: [JSONValue] = []
        var activity: [JSONValue] = []
        for (index, node) in shown.enumerated() {
            let number = index + 1
            numbers[node.path] = number
            var appearance = ShownNode.Appearance(node, user: nil)
            // The clock of another machine may be another one.
            appearance.since = now.earlier(byMicroseconds: node.ageMicroseconds)
            let reading = NodeReading(
                when: now, session: nil, counters: NodeCounters(node.counters))
            let row = ShownNode(
                number: number, place: nil, path: node.path,
                parent: node.path.parent.flatMap { numbers[$0] } ?? 0, appearance: appearance,
                activity: ShownNode.Activity(reading, since: nil), version: 0, activityVersion: 0)
            rows.append(row.row)
            activity.append(row.activityRow)
        }
        let left = answer.nodes.count - shown.count
        json = .members([
            "place": .text(place), "when": .integer(now.microseconds / 1_000),
            "nodes": .array(rows), "activity": .array(activity),
            "more": left > 0 ? .integer(left) : nil,
        ])
    }
}

/// The trees of other sites, each asked once for all pages that show it.
actor SiteTrees {
    /// The number of sites that are asked at once.
    static let askedMax = Realm.askedMax
    /// The time for which an answer is told to other pages too.
    private static let freshTime = Duration.seconds(2)

    private struct Answer {
        let at: ContinuousClock.Instant
        let result: Result<String, Refusal>
    }

    private var asked: [NodePath: Task<Result<String, Refusal>, Never>] = [:]
    private var known: [NodePath: Answer] = [:]

    /// Returns the JSON text of a site's tree. Throws ``Refusal`` if the site does not tell it, or if too many
    /// sites are being asked.
    func text(
        ofSiteAt place: NodePath,
        asking ask: @escaping @Sendable () async throws -> SiteTree
    ) async throws(Refusal) -> String {
        let now = ContinuousClock.now
        known = known.filter { now - $0.value.at < Self.freshTime }
        if let answer = known[place] {
            return try answer.result.get()
        }
        if let task = asked[place] {
            return try await task.value.get()
        }
        guard asked.count < Self.askedMax else {
            throw Refusal(
                429, "tooManySites", "\(Self.askedMax) sites are being asked at this moment.")
        }
        let task = Task { () -> Result<String, Refusal> in
            do {
                return .success(try await ask().json.text)
            } catch {
                return .failure(Refusal(of: error))
            }
        }
        asked[place] = task
        let result = await task.value
        asked[place] = nil
        known[place] = Answer(at: .now, result: result)
        return try result.get()
    }
}
