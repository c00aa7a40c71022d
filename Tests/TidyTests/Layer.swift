// SPDX-License-Identifier: Apache-2.0

/// A folder of `Sources` and the modules that it may import.
struct Layer: Sendable {
    let target: String
    let mayImport: [String]

    /// Modules that only some files may import: those whose path contains the given text.
    let confined: [String: String]

    private init(_ target: String, mayImport: [String], confined: [String: String] = [:]) {
        self.target = target
        self.mayImport = mayImport
        self.confined = confined
    }

    func allows(_ module: String, in path: String) -> Bool {
        mayImport.contains(module) || confined[module].map(path.contains) ?? false
    }

    /// The row as a sentence, for the reader of a finding.
    var summary: String {
        let exceptions = confined.sorted { $0.key < $1.key }.map { "\($0.key) in \($0.value) only" }
        let allowed = (mayImport + exceptions).joined(separator: ", ")
        return "\(target) may import \(allowed.isEmpty ? "nothing" : allowed)"
    }
}

extension Layer {
    /// The direction of the dependencies, from the bottom of the graph to its top.
    ///
    /// `Package.swift` states the same between our own targets. This table also covers the modules
    /// of the toolchain, and those that an import elsewhere in the build makes visible.
    static let all = [
        // Protocol, system calls and libzmq
        Layer("CascadeJSON", mayImport: []),
        Layer("CSodium", mayImport: []),
        Layer(
            "CascadeWire", mayImport: ["CascadeJSON"],
            confined: ["CSodium": "Names/SessionID.swift"]),
        Layer("CLinux", mayImport: []),
        Layer("CZeroMQ", mayImport: []),
        Layer("ZeroMQ", mayImport: ["CLinux", "CZeroMQ", "Glibc", "Synchronization"]),
        Layer("ZMTP", mayImport: []),
        // Each of three large types has an atomic that keeps it in place: the transport, the broker and the
        // session.
        Layer(
            "LocalTransport", mayImport: ["CLinux", "DequeModule", "Glibc", "ZMTP"],
            confined: ["Synchronization": "LocalTransport/Transport.swift"]),
        Layer("SystemdService", mayImport: ["CLinux", "Glibc"]),

        // Predicates and rules
        Layer("CascadeExpressions", mayImport: ["CascadeJSON"]),

        // Policy
        Layer("CascadePolicy", mayImport: ["CascadeExpressions", "CascadeWire"]),

        // Pure state machines: they never import each other and meet only in the wire format
        Layer(
            "CascadeBroker",
            mayImport: [
                "BasicContainers", "BitCollections", "CascadeExpressions", "CascadeJSON",
                "CascadePolicy", "CascadeWire", "DequeModule",
            ],
            confined: ["Synchronization": "CascadeBroker/Broker.swift"]),
        Layer(
            "CascadeSession", mayImport: ["CascadeWire", "DequeModule"],
            confined: ["Synchronization": "CascadeSession/Session.swift"]),

        // Sites
        Layer(
            "CascadeSite",
            mayImport: [
                "CascadeExpressions", "CascadeJSON", "CascadeSession", "CascadeWire", "DequeModule",
            ]),
        Layer("CNATS", mayImport: []),
        Layer(
            "NATS", mayImport: ["CNATS", "CSodium", "Glibc", "ZeroMQ"],
            confined: ["CSodium": "UserKey.swift"]),

        // Journal
        Layer("CascadeJournal", mayImport: ["CascadeWire"], confined: ["Glibc": "Storage"]),

        // Documents of inspection
        Layer("CascadeInspection", mayImport: ["CascadeJSON", "CascadeWire"]),

        // Shells
        Layer(
            "Cascade",
            mayImport: [
                "CascadeInspection", "CascadeJSON", "CascadeSession", "CascadeWire", "DequeModule",
                "Glibc", "LocalTransport", "Logging", "Synchronization", "SystemdService",
                "UnixSignals", "ZMTP", "ZeroMQ",
            ],
            confined: [
                "FoundationEssentials": "Payload/JSONPayloadCodec.swift",
                "ServiceLifecycle": "Runtime/WorkerService.swift",
                "Tracing": "Tracing",
            ]
        ),
        Layer(
            "CascadeService",
            mayImport: [
                "CLinux", "CascadeExpressions", "CascadeJSON", "CascadeWire", "Glibc", "Logging",
                "Synchronization", "ZeroMQ",
            ]),
        Layer(
            "CascadeTestKit",
            mayImport: [
                "Cascade", "CascadeBroker", "CascadeSession", "CascadeWire", "Synchronization",
                "ZeroMQ",
            ]
        ),
        Layer(
            "CascadeDaemon",
            mayImport: [
                "CLinux", "CascadeBroker", "CascadeExpressions", "CascadeJSON", "CascadeJournal",
                "CascadePolicy", "CascadeService", "CascadeWire", "DequeModule", "Glibc",
                "LocalTransport", "Logging", "ServiceLifecycle", "Synchronization",
                "SystemdService", "UnixSignals", "ZMTP", "ZeroMQ",
            ]
        ),

        // Console
        Layer("CConsoleAssets", mayImport: []),
        Layer(
            "CascadeConsole",
            mayImport: [
                "CLinux", "Cascade", "CascadeInspection", "CascadeJSON", "CascadeService",
                "CascadeSession", "CascadeWire", "DequeModule", "Glibc", "Logging", "NIOCore",
                "NIOHTTP1", "NIOPosix", "Synchronization", "SystemdService",
            ],
            confined: ["CConsoleAssets": "Pages/Assets.swift"]),

        // Simulation
        Layer(
            "CascadeSimulator",
            mayImport: ["CascadeBroker", "CascadeSession", "CascadeWire", "DequeModule"]),

        // Programs
        Layer(
            "cascade-console",
            mayImport: [
                "ArgumentParser", "CLinux", "CascadeConsole", "CascadeService", "Glibc", "Logging",
            ]),
        Layer("cascade-simulate", mayImport: ["ArgumentParser", "CascadeSimulator", "Glibc"]),
        Layer(
            "cascaded",
            mayImport: [
                "ArgumentParser", "CLinux", "CascadeDaemon", "CascadeService", "Glibc", "Logging",
            ]
        ),
        Layer(
            "cascade-site",
            mayImport: [
                "ArgumentParser", "CLinux", "CSodium", "Cascade", "CascadeExpressions",
                "CascadeService", "CascadeSession", "CascadeSite", "CascadeWire", "DequeModule",
                "Glibc",
                "LocalTransport", "Logging", "NATS", "Synchronization", "SystemdService", "ZMTP",
                "ZeroMQ",
            ]
        ),
        Layer(
            "cascadectl",
            mayImport: [
                "ArgumentParser", "CLinux", "Cascade", "CascadeExpressions", "CascadeInspection",
                "CascadeJSON", "CascadePolicy", "CascadeSession", "CascadeWire", "DequeModule",
                "Glibc", "Logging", "Subprocess", "Synchronization", "ZeroMQ",
            ]
        ),
        Layer(
            "Examples",
            mayImport: [
                "ArgumentParser", "Cascade", "FoundationEssentials", "Glibc", "Logging",
                "PrintShopEvents", "ServiceLifecycle",
            ]
        ),
    ]

    /// The targets that read no clock, draw no random number and start no task.
    static let pure: Set = [
        "CascadeJSON", "CascadeWire", "CascadeExpressions", "CascadeInspection", "CascadePolicy",
        "CascadeBroker", "CascadeSession", "CascadeSimulator", "CascadeSite", "ZMTP",
    ]

    /// The targets that talk to a terminal.
    static let programs: Set = [
        "cascade-console", "cascade-simulate", "cascade-site", "cascaded", "cascadectl", "Examples",
    ]
}
