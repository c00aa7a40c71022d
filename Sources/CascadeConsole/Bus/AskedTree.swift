// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeInspection
import CascadeJSON
import CascadeWire

/// Nodes for which a page has asked, as it is told of them: those of another site, or the children of a node
/// that are left out of frames.
struct AskedTree: Sendable {
    /// The number of nodes that a page is told of in one answer.
    static let nodeCountMax = 4_096

    /// `{place, when, nodes, activity, more}`: the rows are those of frames, with numbers that hold in this
    /// answer alone; `more` counts the nodes that are left out.
    let json: JSONValue

    /// The nodes of the site at `place`.
    init(_ answer: TreeAnswer, at place: NodePath, now: Timestamp) {
        self.init(
            answer.nodes.prefix(Self.nodeCountMax), at: place, now: now,
            leftCount: answer.nodes.count - Self.nodeCountMax)
    }

    /// - Parameters:
    ///   - nodes: The nodes, the upper ones first.
    ///   - hasOneLevel: Whether nothing below the children of the first node was asked for. The rows of those
    ///     that have children end with their number.
    init(
        _ nodes: some Collection<NodeSnapshot>, at place: NodePath, now: Timestamp, leftCount: Int,
        hasOneLevel: Bool = false, userName: (UInt32) -> String? = { _ in nil }
    ) {
        var numbers: [NodePath: Int] = [:]
        var rows: [JSONValue] = []
        var activity: [JSONValue] = []
        for (index, node) in nodes.enumerated() {
            let number = index + 1
            numbers[node.path] = number
            var appearance = ShownNode.Appearance(
                node, user: node.holder.flatMap { userName($0.userID) })
            // The clock of another machine may be another one.
            appearance.since = now.earlier(byMicroseconds: node.ageMicroseconds)
            let counters = NodeCounters(node.counters)
            let reading = NodeReading(when: now, session: nil, counters: counters)
            let shown = ShownNode(
                number: number, place: nil, path: node.path,
                parent: node.path.parent.flatMap { numbers[$0] } ?? 0, appearance: appearance,
                activity: ShownNode.Activity(reading, since: nil), version: 0, activityVersion: 0)
            var row = shown.row.elements
            if hasOneLevel, index > 0, node.childCount > 0 {
                row += appearance.site == nil ? [.null] : []
                row.append(.integer(node.childCount))
            }
            rows.append(.array(row))
            activity.append(.array(shown.activityRow.elements + [.integer(counters.visits)]))
        }
        json = .members([
            "place": .text(place), "when": .integer(now.microseconds / 1_000),
            "nodes": .array(rows), "activity": .array(activity),
            "more": leftCount > 0 ? .integer(leftCount) : nil,
        ])
    }
}

/// What pages have asked for, each asked once for all pages that show it.
actor AskedTrees {
    /// The number of questions at once.
    static let askedMax = Realm.askedMax
    /// The time for which an answer is told to other pages too.
    private static let freshTime = Duration.seconds(2)

    private struct Answer {
        let at: ContinuousClock.Instant
        let result: Result<String, Refusal>
    }

    private var asked: [String: Task<Result<String, Refusal>, Never>] = [:]
    private var known: [String: Answer] = [:]

    /// Returns the JSON text of the answer to a question. Throws ``Refusal`` if it is not answered, or if too
    /// many questions are being asked.
    func text(
        for question: String,
        asking ask: @escaping @Sendable () async throws -> AskedTree
    ) async throws(Refusal) -> String {
        let now = ContinuousClock.now
        if let answer = known[question], now - answer.at < Self.freshTime {
            return try answer.result.get()
        }
        if let task = asked[question] {
            return try await task.value.get()
        }
        guard asked.count < Self.askedMax else {
            throw Refusal(
                429, "tooManyQuestions",
                "\(Self.askedMax) questions for nodes are being answered at this moment.")
        }
        let task = Task { () -> Result<String, Refusal> in
            do {
                return .success(try await ask().json.text)
            } catch {
                return .failure(Refusal(of: error))
            }
        }
        asked[question] = task
        let result = await task.value
        asked[question] = nil
        keep(Answer(at: .now, result: result), to: question)
        return try result.get()
    }

    /// Keeps an answer for as long as it is told, and at most as many as may be asked for at once.
    private func keep(_ answer: Answer, to question: String) {
        if known.count >= Self.askedMax, let oldest = known.min(by: { $0.value.at < $1.value.at }) {
            known[oldest.key] = nil
        }
        known[question] = answer
        Task {
            try await Task.sleep(for: Self.freshTime)
            forget(question, of: answer.at)
        }
    }

    private func forget(_ question: String, of instant: ContinuousClock.Instant) {
        if known[question]?.at == instant {
            known[question] = nil
        }
    }
}
