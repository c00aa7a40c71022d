// SPDX-License-Identifier: Apache-2.0

/// The numbers of names, nodes and sessions that are defined for a peer: it has been told their meaning.
struct DefinedNumbers: Sendable {
    private(set) var names = SlotSet<NameIndex>()
    /// Those among the names that the peer declares or has asked for.
    private(set) var declaredNames = SlotSet<NameIndex>()
    private var nodes = SlotSet<NodeIndex>()
    private var sessions = SlotSet<SessionIndex>()

    /// The numbers in the last header that the peer was sent: mostly those in the next one too.
    private(set) var lastIntroduced = Introduction()

    /// Numbers in a header that a peer has to know the meaning of.
    struct Introduction: Equatable, Sendable {
        var name = NameIndex.none
        var node = NodeIndex.none
        var session: SessionIndex?
    }

    /// The name is defined for the peer. Returns whether that is new.
    mutating func learn(_ name: NameIndex) -> Bool {
        names.insert(name)
    }

    /// The peer declares the name, or has asked for it. Returns whether that is new.
    mutating func declare(_ name: NameIndex) -> Bool {
        declaredNames.insert(name)
    }

    /// Learns the numbers of a header that is about to be sent. Returns those that the peer did not know.
    mutating func learn(_ introduction: Introduction) -> Introduction? {
        lastIntroduced = introduction
        var news = Introduction()
        if introduction.name != NameIndex.none, names.insert(introduction.name) {
            news.name = introduction.name
        }
        if introduction.node != NodeIndex.none, nodes.insert(introduction.node) {
            news.node = introduction.node
        }
        if let session = introduction.session, sessions.insert(session) {
            news.session = session
        }
        return news == Introduction() ? nil : news
    }

    /// A node's number will mean something else.
    mutating func forget(_ node: NodeIndex) {
        // Most peers do not know the number and so were not introduced to the node either; this
        // check is all that they cost when one of many nodes leaves.
        if nodes.remove(node) {
            lastIntroduced = Introduction()
        }
    }

    /// A session's number will mean something else.
    mutating func forget(_ session: SessionIndex) {
        if sessions.remove(session) {
            lastIntroduced = Introduction()
        }
    }
}
