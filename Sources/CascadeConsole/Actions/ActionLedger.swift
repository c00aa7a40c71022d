// SPDX-License-Identifier: Apache-2.0

/// The actions of a while, so that one that is asked for twice is carried out once: the second request has
/// the answer to the first.
actor ActionLedger {
    /// The time for which an action is kept.
    static let keptTime = Duration.seconds(600)
    /// The number of actions that are kept.
    static let countMax = 256

    /// The page's name for the request, with what it asks for.
    struct Key: Hashable {
        let name: String
        let kind: ActionKind
        let body: [UInt8]
    }

    private struct Entry {
        let key: Key
        let begun: ContinuousClock.Instant
        let answer: Task<Result<String, Refusal>, Never>
        var isUnderWay = true
    }

    /// The actions; the oldest first.
    private var entries: [Entry] = []

    /// Carries out an action, or waits for the one with the same key. Throws ``Refusal`` as the action
    /// does, and if too many are under way.
    func answer(
        to key: Key, now: ContinuousClock.Instant = .now,
        _ act: @escaping @Sendable () async -> Result<String, Refusal>
    ) async throws(Refusal) -> String {
        entries.removeAll { !$0.isUnderWay && now - $0.begun > Self.keptTime }
        if let entry = entries.first(where: { $0.key == key }) {
            return try await entry.answer.value.get()
        }
        if entries.count >= Self.countMax {
            guard let oldest = entries.firstIndex(where: { !$0.isUnderWay }) else {
                throw Refusal(
                    429, "tooManyActions",
                    "\(Self.countMax) actions are under way already: wait until some have ended.")
            }
            entries.remove(at: oldest)
        }
        let answer = Task { await act() }
        entries.append(Entry(key: key, begun: now, answer: answer))
        let result = await answer.value
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].isUnderWay = false
        }
        return try result.get()
    }
}
