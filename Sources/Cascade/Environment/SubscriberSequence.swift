// SPDX-License-Identifier: Apache-2.0

/// The subscribers that a publisher would reach, each time they change.
public struct SubscriberSequence: AsyncSequence, Sendable {
    let answers: AsyncStream<[UInt8]>
    let destination: PublishingDestination

    public struct AsyncIterator: AsyncIteratorProtocol {
        var answers: AsyncStream<[UInt8]>.Iterator
        let destination: PublishingDestination
        var last: [NodePath]?

        /// `nil` once the worker has ended, or the task is cancelled.
        public mutating func next() async -> [NodePath]? {
            await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> [NodePath]? {
            while let message = await answers.next(isolation: actor) {
                // While the publisher's own node is not there, the query is refused.
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
