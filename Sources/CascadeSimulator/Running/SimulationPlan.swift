// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeWire

/// The parameters of a run that the seed determines before it begins: the processes and their nodes, the
/// configuration of the bus, delays and rates of faults.
struct SimulationPlan {
    var configuration: BrokerConfiguration
    /// The nodes of each process. The first process is the administrator's and has none.
    var processes: [[NodeDeclaration]]
    /// The rules that the daemon reads at its start.
    var fileRules: [NaiveRule]
    /// The rules that nodes may declare.
    var nodeRules: [NaiveRule]
    /// The time for which a message is in transit, in microseconds.
    var latency: ClosedRange<Int>
    /// The time until the end of a connection is detected, in microseconds.
    var detection: ClosedRange<Int>
    /// The time between ticks, in microseconds.
    var pause: ClosedRange<Int>
    var highWaterMark: Int
    var faults: FaultRates
    /// The probability that a handler triggers another event, in percent.
    var causingPercent: Int
    /// The probability that a handler that may fail does so, in percent.
    var failingPercent: Int
    /// The durations of handlers, in milliseconds.
    var work: [Int]
    /// The share of durable events, in percent.
    private(set) var durablePercent = 0
    /// The duration of a write of the journal, in microseconds.
    private(set) var writing = 10...200

    static let eventNames = ["A", "B", "C", "D", "E", "F"].map { EventName(unchecked: $0) }
    static let errorNames = ["X", "Y"].map { EventName(unchecked: $0) }
    static let publicationNames = ["P", "Q", "R"].map { EventName(unchecked: $0) }
    static let keys = ["k0", "k1", "k2", "k3", "k4"]
    /// The longest of all deadlines and holding times, in milliseconds.
    static let longestMilliseconds: UInt32 = 5_000

    init(_ random: inout Randomness) {
        configuration = BrokerConfiguration(bus: "simulated", release: "1", processID: 1)
        configuration.limits.credit = random.pick([2, 8, 64, 2048])
        configuration.limits.held = random.pick([2, 64])
        configuration.limits.undelivered = random.pick([2, 32])
        configuration.limits.retained = random.pick([1, 16])
        configuration.limits.disconnectedSessions = random.pick([1, 64])
        configuration.limits.keptValues = random.pick([2, 1024])
        configuration.limits.nodes = random.isLucky(5) ? 8 : 64
        configuration.limits.traces = 64
        configuration.limits.monitorEvents = 64
        configuration.limits.waitingEmits = random.pick([5, 1000])
        configuration.limits.depth = 8
        configuration.graceMilliseconds = random.pick([50, 1_000, 10_000])
        configuration.deadlineMilliseconds = random.pick([300, 2_000, 5_000])
        configuration.beatMilliseconds = random.pick([200, 1_000])
        configuration.resumeMilliseconds = random.pick([0, 200, 5_000, 60_000])
        configuration.greetingMilliseconds = random.pick([500, 10_000])
        configuration.reattachMilliseconds = random.pick([500, 3_000])
        latency = random.pick([5...50, 20...2_000, 100...30_000])
        detection = random.pick([10...500, 500...50_000, 1_000...1_500_000])
        pause = random.pick([10...1_000, 1_000...30_000, 1_000...150_000])
        highWaterMark = random.pick([2_000, 16_384])
        faults = FaultRates(&random)
        causingPercent = random.pick([0, 10, 30])
        failingPercent = random.pick([0, 10, 30])
        work = random.pick([[0], [0, 0, 1, 5], [0, 1, 30, 300], [0, 0, 5, 2_000, 6_000]])
        processes = []
        fileRules = []
        nodeRules = []
        let hasRules = random.isLucky(50)
        let names = (0..<4).map { "n\($0)" }
        for _ in 0..<(hasRules ? 8 : 0) {
            fileRules.append(NaiveRule(keys: Self.keys, names: names, &random))
            nodeRules.append(NaiveRule(keys: Self.keys, names: names, &random))
        }
        processes = Self.processes(nodeRules, &random)
    }

    /// Makes a share of the events durable. It uses a generator of its own, so that a seed without durable
    /// events gives the same run as before durable events existed.
    mutating func addDurableEvents(_ random: inout Randomness) {
        durablePercent = random.pick([0, 0, 0, 20, 50])
        writing = random.pick([10...200, 100...5_000, 1_000...100_000])
        configuration.keepsDurable = durablePercent > 0
        configuration.durableMilliseconds = Self.longestMilliseconds
        configuration.limits.durable = random.pick([4, 16_384])
        configuration.limits.durableOutcomes = random.pick([2, 4_096])
    }

    var description: String {
        let nodeCount = processes.map(\.count).reduce(0, +)
        return """
            \(processes.count - 1) processes, \(nodeCount) nodes, credit \
            \(configuration.limits.credit), grace \(configuration.graceMilliseconds) ms, deadline \
            \(configuration.deadlineMilliseconds) ms, re-attach \
            \(configuration.reattachMilliseconds) ms, latency \
            \(latency.lowerBound)-\(latency.upperBound) us, detection \
            \(detection.lowerBound)-\(detection.upperBound) us, high-water mark \(highWaterMark), \
            \(durablePercent) % durable, \(faults)
            """
    }

    // MARK: - The tree

    private static func processes(
        _ rules: [NaiveRule], _ random: inout Randomness
    ) -> [[NodeDeclaration]] {
        var paths: [NodePath] = []
        let nodeCount = random.within(2...14)
        let rootPercent = random.pick([20, 60])
        while paths.count < nodeCount {
            let parent =
                paths.isEmpty || random.isLucky(rootPercent)
                ? NodePath.root : random.pick(paths.filter { $0.depth < 5 } + [.root])
            let path = NodePath(joining: parent.components.map(String.init) + ["n\(paths.count)"])
            paths.append(path)
        }
        var processes = Array(repeating: [NodeDeclaration](), count: 1 + random.within(1...6))
        for path in paths {
            let index = 1 + random.below(processes.count - 1)
            processes[index].append(declaration(of: path, rules, &random))
        }
        return processes
    }

    /// Returns a random declaration of a node.
    private static func declaration(
        of path: NodePath, _ rules: [NaiveRule], _ random: inout Randomness
    ) -> NodeDeclaration {
        let concurrency = random.pick([1, 1, 1, 3])
        var node = NodeDeclaration(
            path: path, responders: (0..<random.within(0...5)).map { _ in responder(&random) },
            subscriptions: publicationNames.filter { _ in random.isLucky(35) },
            isActive: random.isLucky(85), takesOver: random.isLucky(10),
            concurrency: UInt16(concurrency),
            prefetch: UInt16(concurrency + random.pick([0, 1, 8, 256])))
        node.isPresented = random.isLucky(8)
        node.detachesOrphans = random.isLucky(8)
        node.assignments = assignments(rules, &random)
        return node
    }

    /// Returns random settings, offers, watched keys and rules of a node.
    static func assignments(
        _ rules: [NaiveRule], _ random: inout Randomness
    ) -> Assignments {
        var assignments = Assignments()
        for key in keys.map(EventName.init(unchecked:)) {
            if random.isLucky(15) {
                assignments.settings.append(
                    EnvironmentSetting(
                        key, random.isLucky(80) ? "\(random.below(3))" : nil,
                        isForItself: random.isLucky(40), isSticky: random.isLucky(20)))
            }
            if random.isLucky(30) {
                assignments.watchedKeys.append(key)
            }
            if random.isLucky(10) {
                let json = random.isLucky(75) ? "\(random.below(9))" : nil
                assignments.offers.append(PreferenceOffer(key, json, .sum))
            }
            if random.isLucky(10) {
                assignments.watchedPreferences.append(key)
            }
        }
        if !rules.isEmpty, random.isLucky(15) {
            assignments.rules = (0..<3).map { _ in random.pick(rules).text }
        }
        return assignments
    }

    static func responder(_ random: inout Randomness) -> ResponderDeclaration {
        let kind = random.pick(
            [ResponderKind.receive, .receive, .handle, .handle] + ResponderKind.allCases)
        let names = kind.sees(.error) ? errorNames + [EventName(.nodeLost)] : eventNames
        let when = random.isLucky(15) ? random.pick(["a == 1", "a > 2 && origin ~ \"/n*\""]) : nil
        return ResponderDeclaration(
            kind, random.isLucky(25) ? nil : random.pick(names), when: when)
    }
}

/// The parameters of a run.
package struct SimulationOptions: Sendable {
    package var seed: UInt64
    /// The number of steps of workload and faults before all faults are repaired.
    package var ticks: Int
    package var bug: PlantedBug?
    /// Whether the report contains the whole history.
    package var keepsHistory = false

    package static let defaultTicks = 300

    package init(seed: UInt64, ticks: Int = defaultTicks, bug: PlantedBug? = nil) {
        self.seed = seed
        self.ticks = ticks
        self.bug = bug
    }

    /// The command that repeats the run.
    package var command: String {
        let length = ticks == Self.defaultTicks ? "" : " --ticks \(ticks)"
        let planted = bug.map { " --bug \($0.rawValue)" } ?? ""
        return "cascade-simulate --seed \(seed)\(length)\(planted)"
    }
}

/// SplitMix64, the only source of randomness in a simulation. The same seed gives the same numbers.
package struct Randomness: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, and not including, `bound`.
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() % UInt64(max(1, bound)))
    }

    /// Returns a number of the range.
    package mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// Returns `true` with a probability of `count` in a thousand.
    package mutating func happens(perMille count: Int) -> Bool {
        below(1000) < count
    }

    /// Returns `true` with a probability of `percent` in a hundred.
    package mutating func isLucky(_ percent: Int) -> Bool {
        below(100) < percent
    }

    /// Returns a random element of a collection, which must not be empty.
    package mutating func pick<Elements: RandomAccessCollection>(
        _ elements: Elements
    ) -> Elements.Element {
        elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
    }
}
