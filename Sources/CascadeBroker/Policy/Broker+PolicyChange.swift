// SPDX-License-Identifier: Apache-2.0

import CascadePolicy
import CascadeWire

/// Replacement of the policy while the bus is in use: actions that the new policy does not allow
/// end, and each affected peer receives the rule that denies it.
extension Broker {
    mutating func load(_ policy: Policy) {
        observers.monitors.endLeftOutRun()
        replacePolicy(policy)
        for peer in peers.connected {
            peers[peer].authorize(
                configuration.policy.authorization(of: peers[peer].credentials.identity))
        }
        observers.inquiries.restart()
        observers.repeatingQueries.forgetSentVersions()
        // Watchers receive the change, or lose the right to watch.
        hierarchy.advanceVersion()
        log(
            .policyLoaded(
                ruleCount: configuration.policy.rules.count,
                fileCount: configuration.policy.fileCount))
        for peer in peers.greeted {
            for node in peers[peer].nodes {
                updateAuthorizedVerbs(of: node)
            }
        }
        rejectEvents()
        withdrawNodes()
        endSessionsBroughtIn()
    }

    // MARK: - Sessions

    /// Ends the sessions of keys whose connections may no longer bring in such sessions.
    private mutating func endSessionsBroughtIn() {
        for peer in peers.greeted {
            guard let carrier = peers[peer].carrier else {
                continue
            }
            let decision = configuration.policy.authorization(of: carrier)
                .decide(.uplink, .root)
            if !decision.isAllowed {
                violated(
                    peer,
                    Violation(
                        .denied,
                        "\(carrier) may no longer \(PolicyVerb.uplink.phrase) '/': "
                            + decision.reason))
            }
        }
    }

    // MARK: - Nodes

    /// Detaches nodes that are no longer allowed, and ends their waiting deliveries.
    private mutating func withdrawNodes() {
        for peer in peers.greeted where peers[peer].authorization.everywhere != .all {
            for node in peers[peer].nodes where hierarchy.holds(peer, node) {
                let verbs = hierarchy[node].authorizedVerbs
                let path = hierarchy.path(of: node)
                if !verbs.contains(.attach) {
                    withdraw(node, denial(.attach, path, peer))
                } else if hierarchy[node].isUplink, !verbs.contains(.uplink) {
                    withdraw(node, denial(.uplink, path, peer))
                } else if !verbs.contains(.subscribe), !hierarchy[node].subscriptions.isEmpty {
                    withdraw(node, denial(.subscribe, path, peer))
                }
            }
        }
    }

    private mutating func withdraw(_ node: NodeIndex, _ sentence: String) {
        let failure = Failure(.denied, message: sentence, node: hierarchy.path(of: node))
        let queued =
            traffic.deliveries.outstanding(at: node)
            .filter { traffic.deliveries[$0].state == .sent }
            + traffic.deliveries.waiting(at: node)
        // Ending one may have another node go, and with it some of the others.
        for delivery in queued
        where traffic.deliveries.contains(delivery)
            && traffic.deliveries[delivery].state != .expired
        {
            switch traffic.deliveries[delivery].subject {
            case .event(let event):
                expire(delivery)
                reject(event, failure)
            case .publication(let publication):
                reject(publication: publication, delivery, at: node, failure)
            }
        }
        expel([node], .denied, sentence)
    }

    private mutating func reject(_ event: EventIndex, _ failure: Failure) {
        traffic.events[event].endDelivery()
        unpark(event)
        settle(event, .rejected, failure: failure)
    }

    private mutating func reject(
        publication: PublicationIndex, _ delivery: DeliveryIndex, at node: NodeIndex,
        _ failure: Failure
    ) {
        traffic.publications[publication].failureEnds(as: .rejected)
        failed(publication, failure, at: node)
        expire(delivery)
        recipientEnded(publication)
    }

    // MARK: - Events

    /// Stops messages that the previous policy allowed and the new one denies. A node that is
    /// already working on one may end it.
    private mutating func rejectEvents() {
        for event in traffic.events.indices where traffic.events.contains(event) {
            let origin = traffic.events[event].message.origin
            let verb = traffic.events[event].message.verb
            guard peers.isGreeted(origin.peer),
                !mayAct(verb, hierarchy.path(of: origin.node), origin.peer)
            else {
                continue
            }
            let path = hierarchy.path(of: origin.node)
            let failure = Failure(
                .denied, message: denial(verb, path, origin.peer), node: path)
            switch traffic.events[event].stage {
            case .visiting, .revoked:
                traffic.events[event].revoke(failure)
            case .queued(let delivery):
                expire(delivery)
                reject(event, failure)
            case .writing, .following, .moving, .rejected, .parked:
                reject(event, failure)
            }
        }
    }
}
