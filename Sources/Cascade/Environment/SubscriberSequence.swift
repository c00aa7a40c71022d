// SPDX-License-Identifier: Apache-2.0

/// The subscribers that a publisher would reach, once for each change.
public struct SubscriberSequence: AsyncSequence, Sendable {
    let answers: AsyncStream<[UInt8]>
    let destination: PublishingDestination

    public struct AsyncIterator: AsyncIteratorProtocol {
        var answers: AsyncStream<[UInt8]>.Iterator
        let destination: PublishingDestination
        var last: [NodePath]?

        /// Returns `nil` when the worker has ended or the task is cancelled.
        public mutating func next() async -> [NodePath]? {
            await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> [NodePath]? {
            while let message = await answers.next(isolation: actor) {
                // The bus refuses the query while the publisher's own node is not in the tree.
                let subscribers =
                    (try? SubscribersAnswer(parsing: message))?[destination] ?? []
                if subscribers != last {
                    last = subscribers
                    return subscribers
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(answers: answers.makeAsyncIterator(), destination: destination)
    }
}
