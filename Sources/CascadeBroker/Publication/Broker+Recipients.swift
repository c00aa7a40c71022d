// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// The recipients of a publication: how each of them ends, which may have had it before, and how the
/// publication ends after the last of them.
extension Broker {
    mutating func answered(_ publication: PublicationIndex, _ answer: Answer, by node: NodeIndex) {
        let remote = hierarchy[node].isUplink ? answer.remote : nil
        switch answer.code {
        case .handled:
            if let remote {
                // A mount speaks for what is below it alone.
                let mount = hierarchy.path(of: node)
                traffic.publications[publication].record(
                    remote.recipients.filter { mount.contains($0) }, for: node)
                failed(publication, answer.failure, remote, below: mount)
            }
        case .failed:
            if let outcome = remote?.outcome {
                traffic.publications[publication].failureEnds(as: outcome)
            }
            failed(
                publication, thrown(answer.failure, at: node), at: node,
                recipients: remote?.failedRecipients ?? [])
        case .passed where hierarchy[node].isMount:
            passed(publication, by: node)
            return
        case .passed, .replaced, .answered:
            failed(
                publication,
                Failure(.badVerdict, message: "a subscriber cannot pass or replace"), at: node)
        }
        recipientEnded(publication)
    }

    /// A subscriber that is lost before it accepted is replaced by the next choice.
    mutating func lost(_ publication: PublicationIndex, at node: NodeIndex, wasAccepted: Bool) {
        if wasAccepted {
            let message = "the subscriber was lost after it had accepted the publication"
            failed(publication, Failure(.nodeLost, message: message), at: node)
            recipientEnded(publication)
        } else {
            withdrawn(publication, from: node)
        }
    }

    /// The node does not get the publication after all. The next choice follows if there is no other
    /// recipient.
    mutating func withdrawn(_ publication: PublicationIndex, from node: NodeIndex) {
        withdraw(publication, from: node)
        if traffic.publications[publication].recipients.isEmpty,
            traffic.publications[publication].failure == nil,
            !traffic.publications[publication].isGiven
        {
            _ = traffic.publications[publication].removePending()
            deliver(publication)
        } else {
            recipientEnded(publication)
        }
    }

    /// Some of the recipients below a mount have failed, and others have not.
    private mutating func failed(
        _ publication: PublicationIndex, _ failure: Failure?, _ remote: RemoteEnd,
        below mount: NodePath
    ) {
        for path in remote.failedRecipients where mount.contains(path) {
            var failure = failure ?? Failure(.responderFailed)
            failure.node = failure.node ?? path
            traffic.publications[publication].fail(failure, at: path)
        }
    }

    mutating func recipientEnded(_ publication: PublicationIndex) {
        if traffic.publications[publication].removePending() {
            settle(publication)
        }
    }

    /// The first failure becomes the publication's; of the others, the places are reported.
    ///
    /// - Parameters:
    ///   - failure: The failure; it began at the node unless it says where.
    ///   - recipients: The recipients on another bus that failed.
    mutating func failed(
        _ publication: PublicationIndex, _ failure: Failure, at node: NodeIndex,
        recipients: [NodePath] = []
    ) {
        let path = hierarchy.path(of: node)
        let origin = failure.node ?? path
        var failure = failure
        failure.node = origin
        // The error of a single recipient below a mount says where that is.
        let below = (recipients.isEmpty ? [origin] : recipients).filter { path.contains($0) }
        for place in below.isEmpty ? [path] : below {
            traffic.publications[publication].fail(failure, at: place)
        }
        withdraw(publication, from: node)
    }

    mutating func withdraw(_ publication: PublicationIndex, from node: NodeIndex) {
        if traffic.publications[publication].remove(node) {
            unpinNode(node)
        }
    }

    // MARK: - Redelivery

    /// A node that was lost with the publication before it accepted it may have begun all the same.
    /// The next delivery to it is marked as sent again.
    mutating func markSentAgain(_ publication: PublicationIndex, to recipients: [NodeIndex]) {
        let lostAt = traffic.publications[publication].lostAt
        if recipients.contains(where: lostAt.contains) {
            markSentAgain(publication)
        }
    }

    /// Marks the publication as redelivered: subscribers that get it from now on may have had it
    /// before.
    mutating func markSentAgain(_ publication: PublicationIndex) {
        traffic.publications[publication].markSentAgain()
    }

    // MARK: - The end

    mutating func endWithoutSubscriber(_ publication: PublicationIndex) {
        if traffic.events.parking.isAwaitingReattach {
            traffic.events.parking.awaitReattach(.publication(publication))
        } else {
            end(
                publication,
                traffic.publications[publication].failure == nil ? .noSubscriber : .failed)
        }
    }

    mutating func publicationTimedOut(_ publication: PublicationIndex) {
        guard traffic.publications[publication].pendingCount > 0 else {
            traffic.events.parking.remove(.publication(publication))
            end(publication, .noSubscriber)
            return
        }
        // An expiry at one node may be all that another one waited for to leave.
        for node in traffic.publications[publication].recipients where hierarchy.contains(node) {
            expire(publication, at: node)
        }
        settle(publication)
    }

    private mutating func expire(_ publication: PublicationIndex, at node: NodeIndex) {
        let isOurs = { (delivery: Delivery) in delivery.publication == publication }
        let delivery =
            traffic.deliveries.firstOutstanding(at: node, where: isOurs)
            ?? traffic.deliveries.firstWaiting(at: node, where: isOurs)
        guard let delivery else {
            return
        }
        let path = hierarchy.path(of: node)
        traffic.publications[publication].failureEnds(as: .timedOut)
        failed(
            publication, Failure(.timedOut, message: "'\(path)' did not answer in time"), at: node)
        expire(delivery)
    }

    mutating func settle(_ publication: PublicationIndex) {
        let record = traffic.publications[publication]
        end(publication, record.recipients.isEmpty ? record.failureOutcome : .delivered)
    }

    mutating func end(_ publication: PublicationIndex, _ code: OutcomeCode) {
        let record = traffic.publications[publication]
        if !record.isGiven {
            observers.counters.count(code)
        }
        let origin = record.message.origin
        let paths = record.recipients.flatMap { node in
            record.remoteRecipients[node] ?? [hierarchy.path(of: node)]
        }
        if record.message.flags.contains(.unacknowledged) {
            returnUnacknowledgedCredit(origin.peer)
        } else {
            let microseconds = UInt32(clamping: now.microseconds(since: record.startedAt))
            sendOutcome(
                origin,
                OutcomeMessage(
                    sequence: origin.ticket, code: code, microseconds: microseconds,
                    failure: record.failure, recipients: paths,
                    failedRecipients: record.failedRecipients))
        }
        remember(publication: publication, code, paths)
        if record.keptMessage == RetainedMessageIndex.none {
            release(record.message.payload)
        } else {
            letGo(keptMessage: record.keptMessage)
        }
        accounts.releaseMessage(record.chargedByteCount, from: record.account)
        traffic.publications[publication].end()
        deadlines.remove(record.deadline)
        traffic.publications.remove(publication)
        for node in record.recipients {
            unpinNode(node)
        }
        unpin(origin)
    }
}
