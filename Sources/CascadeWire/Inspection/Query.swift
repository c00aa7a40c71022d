// SPDX-License-Identifier: Apache-2.0

/// A request for information about the bus. It changes nothing, and its sender need not hold a node.
package struct Query: WireMessage {
    package static let command = Command.query

    package enum Subject: Equatable, Sendable {
        /// The node at `path` and `depth` levels below it.
        case tree(path: NodePath, depth: UInt32)
        /// The same, with the numbers of the nodes. If it repeats, the answers after the first have only the
        /// nodes that came, changed or went.
        case treeChanges(path: NodePath, depth: UInt32)
        /// The counters of the nodes at and below `path`. If it repeats, it is answered each time so many
        /// milliseconds have passed, with the nodes whose counters have changed.
        case activity(path: NodePath, milliseconds: UInt32)
        /// The daemon itself.
        case bus
        /// The recipients of a publication of `name` from a publisher at `path`.
        case subscribers(name: EventName, path: NodePath)
        /// The visits of one event.
        case trace(EventID)
        /// Undelivered and held events.
        case undelivered
        /// One undelivered or held event, with a longer payload than in the list of all.
        case undeliveredEvent(EventID)
        /// The oldest events under way, and who has them.
        case underWay
        /// The faults of the declarations in the tree.
        case check
        /// The responders that would be asked about an event, in order.
        case route(RouteQuery)
        /// The monitor events from now on, and those of the recent past.
        case monitor(MonitorFilter)
        /// The environment of the node at `path`: one key, or every key with a value.
        case environment(path: NodePath, key: EventName?)
        /// The provenance of the value of a key for the node at `path`.
        case explanation(key: EventName, path: NodePath)
        /// The value of a key for each node at and below `path`.
        case environmentTree(key: EventName, path: NodePath)
        /// The reduced preferences at `path`.
        case preferences(path: NodePath)
        /// The rules in force.
        case rules
        /// The changes of values if this text replaced the file of rules.
        case rulesDifference(file: String, text: String)
        /// The rules of the policy.
        case policy
        /// Whether the policy authorizes an action of a subject, and the rule that decides.
        case policyTest(PolicyTest)
        /// The daemon's counters in Prometheus' text format.
        case metrics
        /// For a bus that stands at `path`: the names to which nodes above respond, and those to which nodes at and
        /// below `path` subscribe.
        case summary(path: NodePath)
        /// The sites around a site. Its bridge answers it; a daemon does not know it.
        case sites
    }

    package var request: UInt64
    package var subject: Subject
    /// Whether the daemon answers again on each change.
    package var isRepeating: Bool

    package init(request: UInt64, _ subject: Subject, isRepeating: Bool = false) {
        self.request = request
        self.subject = subject
        self.isRepeating = isRepeating
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        guard let code = QueryCode(rawValue: header.code) else {
            throw WireError(.unknownQuery, "there is no query \(header.code)")
        }
        self.init(
            request: header.id, try Subject(code, fields),
            isRepeating: header.flags.contains(.repeating))
    }

    /// Whether a query with this header is for ``Subject/metrics``.
    package static func isForMetrics(_ header: Header) -> Bool {
        header.command == .query && header.code == QueryCode.metrics.rawValue
    }

    package var header: Header {
        Header(
            .query, flags: isRepeating ? .repeating : [], id: request,
            code: subject.code.rawValue)
    }

    package func write(to fields: inout FieldWriter) {
        switch subject {
        case .tree(let path, let depth):
            fields.append(.path, path.description)
            fields.append(.depth, depth)
        case .treeChanges(let path, let depth):
            fields.append(.path, path.description)
            fields.append(.depth, depth)
            fields.append(.changes, if: true)
        case .activity(let path, let milliseconds):
            fields.append(.path, path.description)
            fields.append(.interval, milliseconds)
        case .bus, .undelivered, .underWay, .check, .rules, .policy, .metrics, .sites:
            break
        case .policyTest(let test):
            test.write(to: &fields)
        case .environment(let path, let key):
            fields.append(.path, path.description)
            if let key {
                fields.append(.name, key.description)
            }
        case .preferences(let path), .summary(let path):
            fields.append(.path, path.description)
        case .rulesDifference(let file, let text):
            fields.append(.document, file)
            fields.append(.text, text)
        case .subscribers(let name, let path), .explanation(let name, let path),
            .environmentTree(let name, let path):
            fields.append(.name, name.description)
            fields.append(.path, path.description)
        case .trace(let id), .undeliveredEvent(let id):
            id.write(as: .eventID, to: &fields)
        case .route(let route):
            route.write(to: &fields)
        case .monitor(let filter):
            filter.write(to: &fields)
        }
    }
}

/// The numbers of queries.
private enum QueryCode: UInt32 {
    case tree = 1
    case bus = 2
    case subscribers = 3
    case trace = 4
    case undelivered = 5
    case check = 6
    case route = 7
    case monitor = 8
    case environment = 9
    case explanation = 10
    case environmentTree = 11
    case preferences = 12
    case rules = 13
    case rulesDifference = 14
    case policy = 20
    case policyTest = 21
    case metrics = 22
    case summary = 23
    case sites = 24
    case activity = 25
    case underWay = 26
}

extension Query.Subject {
    fileprivate var code: QueryCode {
        switch self {
        case .tree, .treeChanges: .tree
        case .activity: .activity
        case .bus: .bus
        case .subscribers: .subscribers
        case .trace: .trace
        case .undelivered, .undeliveredEvent: .undelivered
        case .underWay: .underWay
        case .check: .check
        case .route: .route
        case .monitor: .monitor
        case .environment: .environment
        case .explanation: .explanation
        case .environmentTree: .environmentTree
        case .preferences: .preferences
        case .rules: .rules
        case .rulesDifference: .rulesDifference
        case .policy: .policy
        case .policyTest: .policyTest
        case .metrics: .metrics
        case .summary: .summary
        case .sites: .sites
        }
    }

    fileprivate init(_ code: QueryCode, _ fields: FieldReader) throws(WireError) {
        switch code {
        case .bus: self = .bus
        case .underWay: self = .underWay
        case .check: self = .check
        case .rules: self = .rules
        case .metrics: self = .metrics
        case .sites: self = .sites
        case .rulesDifference: self = try Self(difference: fields)
        case .policy: self = .policy
        case .policyTest: self = .policyTest(try PolicyTest(fields: fields))
        case .route: self = .route(try RouteQuery(fields: fields))
        case .monitor: self = .monitor(try MonitorFilter(fields: fields))
        case .tree, .subscribers, .trace, .undelivered, .environment, .explanation,
            .environmentTree, .preferences, .summary, .activity:
            self = try Self(addressed: code, fields)
        }
    }

    private init(addressed code: QueryCode, _ fields: FieldReader) throws(WireError) {
        var fields = fields
        var path = NodePath.root
        var depth = UInt32.max
        var name: EventName?
        var id: EventID?
        var isOfChanges = false
        var milliseconds: UInt32 = 0
        while let field = try fields.next() {
            switch field.tag {
            case .path: path = try NodePath(decoding: field.text())
            case .depth: depth = try field.integer()
            case .name: name = try EventName(decoding: field.text())
            case .eventID: id = try EventID(field)
            case .changes: isOfChanges = true
            case .interval: milliseconds = try field.integer()
            default: break
            }
        }
        switch (code, name, id) {
        case (.environment, let key, _): self = .environment(path: path, key: key)
        case (.preferences, _, _): self = .preferences(path: path)
        case (.summary, _, _): self = .summary(path: path)
        case (.explanation, let key?, _): self = .explanation(key: key, path: path)
        case (.environmentTree, let key?, _): self = .environmentTree(key: key, path: path)
        case (.explanation, nil, _), (.environmentTree, nil, _):
            throw WireError("a query for the environment has no key")
        case (.subscribers, let name?, _): self = .subscribers(name: name, path: path)
        case (.subscribers, nil, _): throw WireError("a query for subscribers has no name")
        case (.trace, _, let id?): self = .trace(id)
        case (.undelivered, _, let id?): self = .undeliveredEvent(id)
        case (.undelivered, _, nil): self = .undelivered
        case (.trace, _, nil): throw WireError("a query for a trace has no event ID")
        case (.activity, _, _): self = .activity(path: path, milliseconds: milliseconds)
        default:
            self =
                isOfChanges
                ? .treeChanges(path: path, depth: depth) : .tree(path: path, depth: depth)
        }
    }

    private init(difference fields: FieldReader) throws(WireError) {
        var fields = fields
        var file = ""
        var text = ""
        while let field = try fields.next() {
            switch field.tag {
            case .document: file = try field.text()
            case .text: text = try field.text()
            default: break
            }
        }
        self = .rulesDifference(file: file, text: text)
    }
}
