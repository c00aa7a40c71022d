// SPDX-License-Identifier: Apache-2.0

/// The direction of the dependencies, from the bottom of the graph to its top.
///
/// `Package.swift` states the same between our own targets. This table also covers the modules that
/// come with the toolchain, and those that an import elsewhere in the build makes visible.
enum Architecture {
    private static let collections = ["DequeModule", "HeapModule", "OrderedCollections"]

    static let layers = [
        // Protocol and libzmq
        Layer("CascadeWire", mayImport: []),
        Layer("CZeroMQ", mayImport: []),
        Layer("ZeroMQ", mayImport: ["CZeroMQ", "Glibc", "Synchronization"]),
        Layer("SystemdService", mayImport: ["CZeroMQ", "Glibc"]),

        // Predicates and rules
        Layer("CascadeExpressions", mayImport: []),

        // Policy
        Layer("CascadePolicy", mayImport: ["CascadeExpressions", "CascadeWire"]),

        // Pure state machines: they never import each other and meet only in the wire format
        Layer(
            "CascadeBroker",
            mayImport: ["CascadeExpressions", "CascadePolicy", "CascadeWire"] + collections),
        Layer("CascadeSession", mayImport: ["CascadeWire"] + collections),

        // Journal
        Layer("CascadeJournal", mayImport: ["CascadeWire"], confined: ["Glibc": "Storage"]),

        // Shells
        Layer(
            "Cascade",
            mayImport: [
                "CascadeSession", "CascadeWire", "Glibc", "Logging", "Synchronization",
                "SystemdService", "UnixSignals", "ZeroMQ",
            ],
            confined: [
                "FoundationEssentials": "Payload/JSONPayloadCodec.swift",
                "ServiceLifecycle": "Service",
                "Tracing": "Tracing",
            ]
        ),
        Layer(
            "CascadeTestKit",
            mayImport: [
                "Cascade", "CascadeBroker", "CascadeSession", "CascadeWire", "Synchronization",
            ]
        ),
        Layer(
            "CascadeDaemon",
            mayImport: [
                "CZeroMQ", "CascadeBroker", "CascadeJournal", "CascadePolicy", "CascadeWire",
                "DequeModule", "Glibc", "Logging", "ServiceLifecycle", "Synchronization",
                "SystemdService", "UnixSignals", "ZeroMQ",
            ],
            confined: ["Configuration": "Configuration"]
        ),

        // Simulation
        Layer(
            "CascadeSimulator", mayImport: ["CascadeBroker", "CascadeSession", "CascadeWire"]),

        // Programs
        Layer("cascade-simulate", mayImport: ["ArgumentParser", "CascadeSimulator", "Glibc"]),
        Layer(
            "cascaded",
            mayImport: ["ArgumentParser", "CascadeDaemon", "Glibc", "Logging"]
        ),
        Layer(
            "cascadectl",
            mayImport: [
                "ArgumentParser", "Cascade", "CascadeExpressions", "CascadePolicy",
                "CascadeSession", "CascadeWire", "Glibc", "Logging", "Subprocess", "ZeroMQ",
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

    /// What reads no clock, draws no random number and starts no task.
    static let pureTargets: Set = [
        "CascadeWire", "CascadeExpressions", "CascadePolicy", "CascadeBroker", "CascadeSession",
        "CascadeSimulator",
    ]

    /// What talks to a terminal.
    static let programs: Set = ["cascade-simulate", "cascaded", "cascadectl", "Examples"]
}
