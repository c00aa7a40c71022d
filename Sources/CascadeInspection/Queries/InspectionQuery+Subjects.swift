// SPDX-License-Identifier: Apache-2.0

public import CascadeJSON
public import CascadeWire

// MARK: - Bus and nodes

extension InspectionQuery<TreeDocument> {
    /// The node at a path, and those below it down to a number of levels.
    public static func tree(at path: NodePath = .root, depth: UInt32 = .max) -> Self {
        Self(.tree(path: path, depth: depth)) { message, context in
            let nodes = try TreeAnswer(parsing: message).nodes
            return TreeDocument(bus: context.bus, nodes: nodes.map(context.node))
        }
    }
}

extension InspectionQuery<BusStatusDocument> {
    /// The daemon's identity, counters and limits.
    public static var busStatus: Self {
        Self(.bus) { message, context in
            BusStatusDocument(try BusAnswer(parsing: message), now: context.now)
        }
    }
}

extension InspectionQuery<MetricsDocument> {
    /// The daemon's metrics.
    public static var metrics: Self {
        Self(.metrics)
    }
}

extension InspectionQuery<SitesDocument> {
    /// The sites that a site knows. A site's bridge answers it, and no daemon does.
    package static var sites: Self {
        Self(.sites)
    }
}

// MARK: - Messages

extension InspectionQuery<OutcomeDocument> {
    /// The trace of a message. The bus keeps the traces of the latest messages only.
    public static func trace(_ id: EventID) -> Self {
        Self(.trace(id))
    }
}

extension InspectionQuery<UndeliveredDocument> {
    /// The undelivered and held messages.
    public static var undelivered: Self {
        Self(.undelivered)
    }

    /// One undelivered or held message, with a payload of up to 1 MiB; no message if the bus does not keep
    /// it. A bus of an older release answers with all of them.
    public static func undelivered(_ id: EventID) -> Self {
        Self(.undeliveredEvent(id))
    }
}

extension InspectionQuery<RouteDocument> {
    /// The route of a message from a child of the node at `path`, which is not sent. The predicates
    /// of responders are tested with the payload and the attributes.
    public static func route(
        _ lane: Lane = .event, named name: EventName, from path: NodePath,
        payload: JSONValue? = nil, attributes: NamedMembers<String> = [:]
    ) -> Self {
        Self(
            route: RouteQuery(
                lane, name, from: path, attributes: attributes.map { Attribute($0.name, $0.value) },
                payload: payload?.text ?? ""))
    }

    package init(route: RouteQuery) {
        self.init(.route(route))
    }
}

extension InspectionQuery<SubscribersDocument> {
    /// The recipients of a publication from a node, for each destination.
    public static func subscribers(to name: EventName, at path: NodePath = .root) -> Self {
        Self(.subscribers(name: name, path: path)) { message, _ in
            SubscribersDocument(try SubscribersAnswer(parsing: message))
        }
    }
}

// MARK: - Declarations and policy

extension InspectionQuery<CheckDocument> {
    /// The findings about the declarations in the tree.
    public static var check: Self {
        Self(.check)
    }
}

extension InspectionQuery<PolicyDocument> {
    /// The rules of the active policy.
    public static var policy: Self {
        Self(.policy)
    }
}

extension InspectionQuery<PolicyTestDocument> {
    /// The decision about an action of the caller.
    public static func policyTest(_ verb: String, at path: NodePath) -> Self {
        Self(policyTest: PolicyTest(verb, at: path))
    }

    package init(policyTest: PolicyTest) {
        self.init(.policyTest(policyTest))
    }
}

// MARK: - Environment and rules

extension InspectionQuery<EnvironmentDocument> {
    /// The keys that have a value for a node.
    public static func environment(at path: NodePath) -> Self {
        Self(.environment(path: path, key: nil))
    }
}

extension InspectionQuery<EnvironmentValueDocument> {
    /// The value of a key for a node.
    public static func value(of key: EventName, at path: NodePath) -> Self {
        Self(.environment(path: path, key: key))
    }
}

extension InspectionQuery<ExplanationDocument> {
    /// Every candidate for the value of a key at a node.
    public static func explanation(of key: EventName, at path: NodePath) -> Self {
        Self(.explanation(key: key, path: path))
    }
}

extension InspectionQuery<KeyInTreeDocument> {
    /// The values of a key at the nodes at and below a path.
    package static func key(_ key: EventName, below path: NodePath) -> Self {
        Self(.environmentTree(key: key, path: path))
    }
}

extension InspectionQuery<PreferencesDocument> {
    /// The preferences of a node and its subtree.
    public static func preferences(at path: NodePath) -> Self {
        Self(.preferences(path: path))
    }
}

extension InspectionQuery<RulesDocument> {
    /// The active rules.
    public static var rules: Self {
        Self(.rules)
    }
}

extension InspectionQuery<RulesDifferenceDocument> {
    /// The values that would change if the rules file of this name had this text. A new name adds a
    /// file.
    public static func rulesDifference(file: String, text: String) -> Self {
        Self(.rulesDifference(file: file, text: text))
    }
}

// MARK: - Monitor events

extension InspectionQuery<MonitorEventDocument> {
    /// The monitor events from now on. It has answers only if it repeats.
    package static func monitor(_ filter: MonitorFilter) -> Self {
        Self(.monitor(filter))
    }
}

extension InspectionQuery<PastMonitorEventsDocument> {
    /// The messages that a node raised or handled, as far as the bus remembers them.
    package static func pastMessages(of path: NodePath) -> Self {
        Self(
            .monitor(
                MonitorFilter(
                    path: path.description, kinds: [.event, .error, .publish],
                    sinceMilliseconds: .max)))
    }
}
