// SPDX-License-Identifier: Apache-2.0

import CascadeSession
import Logging

/// The distributor of the link's events to the nodes' mailboxes. It runs in one task.
struct Dispatcher {
    private let link: Link
    private let logger: Logger
    private let mailboxes: NodeMailboxes
    /// The requests whose responders run or wait, by their invocations. A finished stream cancels
    /// the responder.
    private var cancellations: [InvocationToken: AsyncStream<Never>.Continuation] = [:]

    init(_ link: Link, _ mailboxes: NodeMailboxes, _ logger: Logger) {
        self.link = link
        self.mailboxes = mailboxes
        self.logger = logger
    }

    /// Runs until the link ends or the worker has no node in the tree. Throws ``CascadeError``
    /// unless the last node left or was drained.
    mutating func run() async throws {
        do {
            for await event in link.work {
                guard try await process(event) else {
                    break
                }
            }
            await closeAll(.success(()))
        } catch let error as CascadeError {
            await closeAll(.failure(error))
            throw error
        }
    }

    /// Processes one event. Returns `false` when the worker has no nodes left in the tree.
    private mutating func process(_ event: LinkEvent) async throws -> Bool {
        switch event {
        case .invoke(let invocation, let visit): deliver(invocation, visit)
        case .beat(let beat): answer(beat)
        case .cancelled(let token): cancellations.removeValue(forKey: token)?.finish()
        case .environment(let path, let changes): change(path, changes)
        case .settledBefore(let settled): mailboxes[settled.origin]?.deliver(settled)
        case .moved(let old, let new):
            if mailboxes.move(old, to: new) {
                logger.info("\(old) was moved to \(new)")
            }
        case .detached(let detached): return try await close(detached)
        case .violated(let error), .reattachRefused(let error): throw error
        case .welcomed(let welcome):
            logger.debug("connected to \(welcome.bus), process \(welcome.processID)")
        case .noBusFound: break
        }
        return true
    }

    /// Answers a beat of the bus by way of the pool on which responders run, which it shows to be
    /// alive, as the answer shows of the session's thread.
    private func answer(_ beat: UInt64) {
        Task.detached { [link] in await link.beatAnswered(beat) }
    }

    private mutating func deliver(_ invocation: Invocation, _ visit: Visit) {
        var cancellation: AsyncStream<Never>?
        if visit.lane == .request, !visit.isPublication {
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            cancellation = stream
            cancellations[invocation.token] = continuation
        }
        mailboxes[visit.node]?.deliver(
            NodeMailbox.Assignment(
                invocation: invocation, visit: visit, cancellation: cancellation))
    }

    /// Applies changes of a node's environment, before later work reaches the node.
    private func change(_ path: NodePath, _ changes: EnvironmentChanges) {
        for problem in mailboxes[path]?.environment.apply(changes) ?? [] {
            logger.warning("\(path) reads a default: \(problem)")
        }
    }

    /// Closes the mailbox of a node that has left the tree. Returns `false` after the last node.
    private func close(_ detached: Detached) async throws -> Bool {
        let mailbox = mailboxes.remove(detached.path)
        guard detached.reason != .left else {
            await mailbox?.close(.success(()))
            return !mailboxes.isEmpty
        }
        let error = CascadeError(.detached, detached.sentence, reason: detached.reason)
        let isOrderly = detached.reason == .drained
        logger.log(
            level: isOrderly ? .info : .warning,
            "\(detached.path) was detached: \(detached.sentence)")
        await mailbox?.close(isOrderly ? .success(()) : .failure(error))
        guard mailboxes.isEmpty else {
            return true
        }
        guard isOrderly else {
            throw error
        }
        return false
    }

    private mutating func closeAll(_ result: Result<Void, CascadeError>) async {
        for mailbox in mailboxes.removeAll() {
            await mailbox.close(result)
        }
        for cancellation in cancellations.values {
            cancellation.finish()
        }
        cancellations = [:]
    }
}
