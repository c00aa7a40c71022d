// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire
import Testing

/// A bus on which the inspector `anna` may not inspect `/secret`: no answer may contain the path or
/// any value that was set, offered, raised or reported there.
@Suite struct HiddenPlaceTests {
    /// Marks of the hidden place; every value from it contains `hidden`.
    private static let marks = ["/secret", "hidden"]

    private static let setup = [
        #"policy shop.policy deny\sinspect\s/secret\sto\suser\s9"#,
        "connect admin 1 uid=0", "connect anna 2 uid=9 groups=901", "connect town 3 uid=900",
        "connect safe 4 uid=900", "monitor anna payloads", "monitor admin payloads",
        "watch anna tree", "watch anna preferences /", "watch admin preferences /",
        "attach town /town handle:Ring subscribe:Bell handleError:cascade.NodeLost "
            + #"prefer:notes="seen":append env:shade="light""#,
        "attach safe /secret handle:Ring receive:Bang handle:* subscribe:Bell "
            + #"prefer:notes="hidden":append watch-preference:notes env:colour="hidden" "#
            + #"rule:shape\s<=\s"hidden" watch:shade triggers:Never"#,
        "attach safe /secret/room handle:Deep watch:colour names:Ring,Lost,Bang,Bell",
        "attach town /town/box names:Ring",
        "set admin / tint=\"plain\"", "set admin /secret paint=\"hidden\"",
        "set admin /secret/later paint=\"hidden\"",
        "load shop.rules size<=1",
    ]

    private static let life = [
        "trigger safe /secret/room Ring payload={\"hidden\":1} trail",
        "verdict safe failed:Broken", "trigger safe /secret/room Ring trail", "accept safe",
        // From here on the origin is visible, and the handler is not.
        "move admin /secret/room /town", "verdict safe handled",
        "move admin /town/room /secret", "move admin /town/box /secret",
        "move admin /secret/box /town", "publish admin / Bell outside to=all",
        "verdict town handled", "verdict safe handled",
        "report safe /secret/room Trouble message=hidden",
        "trigger safe /secret/room Lost payload={\"hidden\":2}",
        "trigger safe /secret/room Lost hold=60s payload={\"hidden\":3}",
        "cascade admin / Closing outside", "cascade safe /secret/room Closing",
        "connect other 5 uid=900", "attach other /secret", "set safe /secret colour=\"hiddentoo\"",
        "attach other /town/late prefer:notes=1:sum", "trigger town /town/box Ring trail",
        "verdict town handled", "advance 1s", "lose safe", "advance 20s",
        "connect later 6 uid=900",
        #"attach later /secret handle:* subscribe:Bell env:colour="hidden" rule:shape\s<=\s"hidden""#
            + #" prefer:notes="hidden":append handle:Never triggers:Never"#,
        "attach later /secret/room names:Lost,Ring", "trigger later /secret/room Lost",
        "trigger later /secret/room Ring hold=60s", "advance 1s",
    ]

    private static func bus() throws -> ScenarioBus {
        var bus = ScenarioBus()
        for line in setup + life {
            let output = bus.run(line)
            try #require(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
        }
        return bus
    }

    /// One query of every kind, about visible places and the bus as a whole.
    private static func questions(_ bus: ScenarioBus) throws -> [Query.Subject] {
        var questions: [Query.Subject] = [
            .bus, .undelivered, .underWay, .check, .rules, .policy, .metrics, .sites,
            .rulesDifference(file: "shop.rules", text: "shape <= colour\nsize <= 2\nown <= tint"),
            .policyTest(PolicyTest("inspect", at: "/town")),
            .policyTest(PolicyTest("inspect", at: "/", by: PolicyIdentity(userID: 900))),
            .monitor(MonitorFilter(sinceMilliseconds: 3_600_000)),
        ]
        let paths: [NodePath] = ["/", "/town", "/town/box"]
        let bell = EventName("Bell")
        let ring = EventName("Ring")
        for path in paths {
            questions.append(.tree(path: path, depth: UInt32.max))
            questions.append(.treeChanges(path: path, depth: UInt32.max))
            questions.append(.activity(path: path, milliseconds: 1_000))
            questions.append(.subscribers(name: bell, path: path))
            questions.append(.route(RouteQuery(.event, ring, from: path)))
            questions.append(.environment(path: path, key: nil))
            questions.append(.preferences(path: path))
            questions.append(.summary(path: path))
            for text in ["shade", "colour", "shape", "paint"] {
                let key = try EventName(text)
                questions.append(.environment(path: path, key: key))
                questions.append(.explanation(key: key, path: path))
                questions.append(.environmentTree(key: key, path: path))
            }
        }
        for sequence in 1...12 {
            for peer in ["safe", "town", "admin", "other", "later"] {
                let id = try bus.eventID("\(peer)#\(sequence)")
                questions += [.trace(id), .undeliveredEvent(id)]
            }
        }
        return questions
    }

    /// A number for each kind of query, without a default, so that a new kind must be added here.
    private static func kind(_ subject: Query.Subject) -> Int {
        switch subject {
        case .tree: 0
        case .bus: 1
        case .subscribers: 2
        case .trace: 3
        case .undelivered: 4
        case .check: 5
        case .route: 6
        case .monitor: 7
        case .environment: 8
        case .explanation: 9
        case .environmentTree: 10
        case .preferences: 11
        case .rules: 12
        case .rulesDifference: 13
        case .policy: 14
        case .policyTest: 15
        case .metrics: 16
        case .summary: 17
        case .sites: 18
        case .treeChanges: 19
        case .activity: 20
        case .underWay: 21
        case .undeliveredEvent: 22
        }
    }

    private static let kindCount = 23

    private static func answers(
        _ subject: Query.Subject, to name: String, _ bus: inout ScenarioBus
    ) throws -> [String] {
        let place = try bus.place(named: name)
        let count = bus.sent.count
        bus.ask(subject, isRepeating: false, as: place)
        return bus.sent[count...].filter { $0.peer == bus.peers[place].id }.map {
            String(decoding: $0.bytes, as: UTF8.self)
        }
    }

    @Test func `no answer contains a hidden path or its values`() throws {
        var bus = try Self.bus()
        let questions = try Self.questions(bus)
        #expect(Set(questions.map(Self.kind)).count == Self.kindCount)
        for question in questions {
            let answers = try Self.answers(question, to: "anna", &bus)
            #expect(!answers.isEmpty, "\(question)")
            for mark in Self.marks {
                #expect(!answers.contains { $0.contains(mark) }, "\(question): \(answers)")
            }
        }
    }

    @Test func `no monitor event or repeated answer contains a hidden path or its values`() throws {
        let bus = try Self.bus()
        let anna = bus.peers[try bus.place(named: "anna")].id
        let told = bus.sent.filter { $0.peer == anna }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(told.count { $0.contains("cascade/v1/monitor") } > 10)
        for mark in Self.marks {
            #expect(told.filter { $0.contains(mark) } == [])
        }
        // A node moved out of the hidden place is visible, and its former path is not.
        #expect(told.contains { $0.contains("moved") && $0.contains("/town/room") })
    }

    @Test func `a monitor with a pattern for a hidden path receives no events`() throws {
        var bus = ScenarioBus()
        for line in Self.setup + ["monitor anna path=/sec*"] {
            _ = bus.run(line)
        }
        let anna = bus.peers[try bus.place(named: "anna")]
        for line in Self.life {
            _ = bus.run(line)
        }
        let told = bus.sent.filter { $0.peer == anna.id }.compactMap {
            try? DocumentAnswer(parsing: $0.bytes)
        }
        #expect(told.filter { $0.request == anna.lastRequest }.map(\.document) == [])
    }

    @Test func `each kind of answer with paths shows hidden ones to an unrestricted inspector`()
        throws
    {
        var bus = try Self.bus()
        var kinds: Set<Int> = []
        for question in try Self.questions(bus) {
            let answers = try Self.answers(question, to: "admin", &bus)
            for mark in Self.marks where answers.contains(where: { $0.contains(mark) }) {
                kinds.insert(Self.kind(question))
            }
        }
        // Answers about visible places, which name no hidden path, and a refusal.
        let quiet = Set([1, 6, 15, 17, 18, 20, 21]).union([9, 8, 13])
        #expect(kinds.union(quiet) == Set(0..<Self.kindCount))
        let admin = bus.peers[try bus.place(named: "admin")].id
        let told = bus.sent.filter { $0.peer == admin }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
        for member in ["\"by\":\"/secret", "\"from\":\"/secret", "/secret\"]", "under '/secret'"] {
            #expect(told.contains { $0.contains(member) }, "\(member)")
        }
    }

    @Test func `an undelivered event of a hidden place is refused like an unknown event`() throws {
        var bus = try Self.bus()
        for event in ["safe#5", "safe#99"] {
            let output = bus.run("trigger anna / Lost outside retry=\(event)")
            #expect(output.contains { $0.contains("noSuchEvent") }, "\(output)")
            #expect(!output.contains { $0.hasPrefix("anna") && $0.contains("/secret") })
        }
    }

    @Test(arguments: [
        ["trigger cart /secret/works/cart Raw payload={\"plain\":1}"],
        ["trigger cart /secret/works/cart Raw hold=60s payload={\"plain\":1}"],
    ])
    func `a payload that a hidden node has replaced is not shown`(_ raising: [String]) throws {
        var bus = ScenarioBus()
        let lines = [
            #"policy shop.policy deny\sinspect\s/secret\sto\suser\s9"#,
            "connect admin 1 uid=0", "connect anna 2 uid=9 groups=901", "connect maker 3 uid=900",
            "connect cart 4 uid=900", "attach maker /secret", "attach cart /town",
            "attach maker /secret/works transform:Raw", "attach cart /secret/works/cart",
        ]
        let moving = [
            "move admin /secret/works/cart /town",
            "verdict maker replaced:Made payload={\"hidden\":1}",
        ]
        for line in lines + raising + moving {
            let output = bus.run(line)
            try #require(!output.contains { $0.contains("UNUSABLE") }, "\(line): \(output)")
        }
        func isShown() throws -> (anna: [String], admin: [String]) {
            (
                try Self.answers(.undelivered, to: "anna", &bus),
                try Self.answers(.undelivered, to: "admin", &bus)
            )
        }
        let shown = try isShown()
        #expect(shown.anna.contains { $0.contains("/town/cart") }, "\(shown.anna)")
        #expect(!shown.anna.contains { $0.contains("hidden") }, "\(shown.anna)")
        #expect(shown.admin.contains { $0.contains("hidden") }, "\(shown.admin)")
        let alone = try Self.answers(
            .undeliveredEvent(bus.eventID("cart#1")), to: "anna", &bus)
        #expect(alone.contains { $0.contains("/town/cart") }, "\(alone)")
        #expect(!alone.contains { $0.contains("hidden") }, "\(alone)")
    }

    @Test func `an error about a preference names only paths that the caller may inspect`() throws {
        var bus = ScenarioBus()
        for line in Self.setup {
            _ = bus.run(line)
        }
        _ = bus.run("lose town")
        _ = bus.run("advance 20s")
        let output = bus.run("attach anna /mine prefer:notes=1:sum")
        #expect(output.contains { $0.contains("another node") }, "\(output)")
        #expect(!output.contains { $0.hasPrefix("anna") && $0.contains("/secret") }, "\(output)")
    }
}
