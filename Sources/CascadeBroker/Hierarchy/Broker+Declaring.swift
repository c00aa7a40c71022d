// SPDX-License-Identifier: Apache-2.0

import CascadeExpressions
import CascadePolicy
import CascadeWire

/// Declarations of nodes and their changes.
extension Broker {
    mutating func change(_ change: Change, by peer: PeerID) throws(WireError) {
        let node = try hierarchy.node(change.node, of: peer)
        let path = hierarchy.path(of: node)
        if node == Hierarchy.root {
            try checkRoot(change.declaration, peer)
        }
        if change.declaration.isMount {
            try check(.uplink, path, by: peer)
            try checkNothingBelow(node, path)
            try checkSites(hierarchy[node].isMount ? 0 : 1)
        }
        try Self.checkStandIns(change.declaration)
        try checkInspection(change.declaration, isRoot: node == Hierarchy.root)
        try check(change.declaration)
        if !change.declaration.subscriptions.isEmpty || !change.declaration.standIns.isEmpty {
            try check(.subscribe, path, by: peer)
        }
        let declared =
            accounts.declared(at: node).responderByteCount
            + Assignments.elementByteCount * (safety[node]?.names.count ?? 0)
        let declaration = change.declaration
        try checkDeclarations(
            declaration.declarationCount - accounts.declared(at: node).declarationCount, of: peer)
        try checkBytes(
            declaration.responderByteCount + declaration.declaredNameByteCount - declared,
            of: peer)
        let attach = Attach(request: change.request, nodes: [change.declaration])
        let declaredNames = attach.allNames
        try checkNames(declaredNames, for: peers[peer].account)
        beginKeys(for: peers[peer].account, [change.declaration.assignments])
        let assignments = try prepare(change.declaration.assignments, of: path, by: peer)
        try check([(path, node, assignments)], by: peer)
        declareNames(declaredNames, by: peer)
        let subscribed = Set(hierarchy[node].subscriptions)
        let standsIn = !change.declaration.standIns.isEmpty
        let wasActive = hierarchy[node].isActive
        let wasActiveItself = hierarchy.isActiveItself(node)
        let responders = hierarchy[node].responders
        declare(change.declaration, at: node, nil)
        assign(assignments, at: node, isWhole: true)
        settleEnvironment()
        let own =
            standsIn
            ? hierarchy[node].subscriptions.filter {
                !traffic.publications.subscribers.standIns.contains($0, of: node)
            } : hierarchy[node].subscriptions
        let isNewSubscriber = !subscribed.isSuperset(of: own)
        if isNewSubscriber || (hierarchy[node].isActive && !wasActive) {
            makeMostRecent(node)
            sendActivation(of: node)
        } else if hierarchy[node].isActive != wasActive {
            sendActivation(of: node)
        }
        if node == Hierarchy.root || hierarchy[node].responders != responders {
            hierarchy.recordDeclarationChange(of: node)
        }
        hierarchy.advanceVersion()
        hierarchy.recordTreeChange(of: node, wasActive: wasActiveItself)
        reportDeclaration(of: node)
        defineNames(declaredNames, for: peer)
        done(change.request, peer)
        if change.abandons {
            abandonAccepted(at: node)
            // A node that was leaving leaves once it has nothing to do.
            guard hierarchy.contains(node) else {
                return
            }
        }
        pump(node)
        // What the root responds to may have come above without a change of its declaration.
        let mayRespond =
            hierarchy[node].responders != responders || !hierarchy[node].predicates.isEmpty
            || node == Hierarchy.root
        retryParked(mayRespond ? [node] : [])
        sendRetained(to: [node])
        sendOutcomes(to: [node])
        if hierarchy[node].isActive != wasActive {
            reportActivity(of: node)
            sendRetained(below: [node])
        }
    }

    /// - Parameter activation: what a session that resumes knows of the node; `nil` for any other.
    mutating func declare(
        _ declaration: NodeDeclaration, at node: NodeIndex, _ activation: Activation?
    ) {
        let before = hierarchy[node].subscriptions
        for name in before {
            traffic.publications.subscribers.remove(node, name)
        }
        var subscriptions: [NameIndex] = []
        let formerStandIns = traffic.publications.subscribers.standIns.take(before, of: node)
        for subscription in declaration.subscriptions + declaration.standIns.map(\.name) {
            // All names of a declaration have numbers before it is taken.
            let name = names.existingNumber(of: subscription) ?? NameIndex.none
            if name != NameIndex.none, !subscriptions.contains(name) {
                subscriptions.append(name)
                traffic.publications.subscribers.insert(node, name)
            }
        }
        accounts.declare(at: node, responderByteCount: declaration.responderByteCount)
        if let holder = hierarchy[node].holder {
            countDeclarations(declaration.declarationCount, at: node, of: holder)
        }
        forgetServed(node, before.filter { !subscriptions.contains($0) })
        if hierarchy[node].isPresented != declaration.isPresented {
            environment.invalidate(node)
        }
        let (responders, predicates) = compiled(declaration.responders)
        hierarchy[node].declare(
            declaration, responders: responders, predicates: predicates,
            subscriptions: subscriptions)
        hierarchy.setMount(node, declaration.isMount)
        declareSafety(declaration, at: node)
        declareStandIns(
            declaration.standIns, at: node, before: formerStandIns, activation)
    }

    /// Responders with numbers for their names, and their predicates, which have been checked before.
    private func compiled(
        _ declarations: [ResponderDeclaration]
    ) -> (responders: [Responder], predicates: [Predicate]) {
        var predicates: [Predicate] = []
        let responders = declarations.map { responder in
            var place = Responder.always
            if let predicate = responder.when.flatMap({ try? Predicate($0) }) {
                place = UInt16(predicates.count)
                predicates.append(predicate)
            }
            return Responder(
                kind: responder.kind,
                name: responder.name.flatMap { names.existingNumber(of: $0) } ?? NameIndex.none,
                predicate: place)
        }
        return (responders, predicates)
    }

    mutating func defineNames(_ declaredNames: [EventName], for peer: PeerID) {
        var definitions: [Define.Definition] = []
        for name in declaredNames {
            if let number = names.existingNumber(of: name),
                peers[peer].numbers.learn(number)
            {
                names.markDefined(number)
                definitions.append(.name(number: number.number, name))
            }
        }
        if !definitions.isEmpty {
            send(Define(definitions), to: peer)
        }
    }
}

extension Attach {
    /// Every name that the nodes declare, and those asked for.
    var allNames: [EventName] {
        nodes.flatMap(\.allNames) + names
    }
}

extension NodeDeclaration {
    fileprivate var allNames: [EventName] {
        var names = responders.compactMap(\.name)
        names += subscriptions
        names += standIns.map(\.name)
        names += triggers ?? []
        names += reports ?? []
        return names
    }
}
