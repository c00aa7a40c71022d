// SPDX-License-Identifier: Apache-2.0

import ZeroMQ

/// Publishes on a connection without making the owner's event loop wait.
///
/// ``ServerConnection/publish(_:to:reply:)`` waits while the socket takes no bytes. While little is under
/// way the socket takes all, so the owner publishes directly; otherwise a thread does, in order.
package final class Publisher: Sendable {
    /// The unacknowledged bytes of all links up to which the owner publishes directly.
    private static let directByteCountMax = 65_536

    private struct Publication: Sendable {
        var bytes: [UInt8]
        var subject: String
        var reply: String?
    }

    private let connection: ServerConnection
    private let queue: PollableQueue<Publication>
    /// Finished when the thread has ended.
    private let ended: PollableQueue<Never>
    private let lock = Lock()
    // Only read and changed under the lock.
    private nonisolated(unsafe) var waitingCount = 0

    /// Starts the thread. It ends after ``finish()`` or with the publisher. Throws ``ServerError`` if the
    /// system cannot start it.
    package init(_ connection: ServerConnection) throws(ServerError) {
        self.connection = connection
        do throws(ZeroMQError) {
            let queue = try PollableQueue<Publication>()
            let ended = try PollableQueue<Never>()
            (self.queue, self.ended) = (queue, ended)
            try OwnThread.detached { [weak self] in
                Self.run(queue) { self }
                ended.finish()
            }
        } catch {
            throw ServerError(error)
        }
    }

    deinit {
        queue.finish()
    }

    /// Publishes a message after all before it. The inbox is told of errors.
    ///
    /// - Parameter byteCountUnderWay: The unacknowledged bytes of all links of the owner.
    package func publish(
        _ bytes: [UInt8], to subject: String, reply: String? = nil,
        whileUnderWay byteCountUnderWay: Int
    ) {
        let publishesDirectly = lock.withLock {
            guard byteCountUnderWay <= Self.directByteCountMax, waitingCount == 0 else {
                waitingCount += 1
                return false
            }
            return true
        }
        let publication = Publication(bytes: bytes, subject: subject, reply: reply)
        if publishesDirectly {
            publish(publication)
        } else {
            queue.append(contentsOf: [publication])
        }
    }

    private func publish(_ publication: Publication) {
        do throws(ServerError) {
            try connection.publish(
                publication.bytes, to: publication.subject, reply: publication.reply)
        } catch {
            // The library itself tells the inbox when the connection has ended.
            if error.step == .library {
                connection.inbox.append(.unpublished(subject: publication.subject, error))
            }
        }
    }

    /// Ends the thread after the publications that wait.
    package func finish() {
        queue.finish()
    }

    /// Ends the thread like ``finish()``, and waits for its end. Returns whether it has ended in this time.
    package func finish(within milliseconds: Int) -> Bool {
        finish()
        var poller = Poller()
        poller.add(ended.pollItem)
        return (try? poller.wait(timeoutMilliseconds: milliseconds)) == 1
    }

    private static func run(
        _ queue: PollableQueue<Publication>, _ publisher: () -> Publisher?
    ) {
        while let publications = queue.next() {
            for publication in publications {
                guard let publisher = publisher() else {
                    return
                }
                publisher.publish(publication)
                publisher.lock.withLock { publisher.waitingCount -= 1 }
            }
        }
    }
}
