// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// Targets are listed from the bottom of the dependency graph to its top; a target's dependencies
// are its layer. CascadeBroker and CascadeSession are pure, never import each other, and meet only
// in the wire format.

import PackageDescription

let package = Package(
    name: "cascade",
    products: [
        .library(name: "Cascade", targets: ["Cascade"]),
        .library(name: "CascadeInspection", targets: ["CascadeInspection"]),
        .library(name: "CascadeTestKit", targets: ["CascadeTestKit"]),
        .executable(name: "cascaded", targets: ["cascaded"]),
        .executable(name: "cascadectl", targets: ["cascadectl"]),
    ],
    traits: [
        .trait(
            name: "ServiceLifecycle",
            description: "Lets a worker run as a Service of swift-service-lifecycle."
        ),
        .trait(
            name: "Tracing",
            description: "Makes a span of each visit, by swift-distributed-tracing."
        ),
        .default(enabledTraits: ["ServiceLifecycle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // MARK: - Protocol, system calls and libzmq
        .target(name: "CascadeJSON"),
        .systemLibrary(name: "CSodium"),
        .target(name: "CascadeWire", dependencies: ["CSodium", "CascadeJSON"]),
        .target(name: "CLinux"),
        .systemLibrary(name: "CZeroMQ"),
        .target(name: "ZeroMQ", dependencies: ["CLinux", "CZeroMQ"]),
        .target(name: "ZMTP"),
        .target(
            name: "LocalTransport",
            dependencies: [
                "CLinux", "ZMTP", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .target(name: "SystemdService", dependencies: ["CLinux"]),

        // MARK: - Predicates and rules
        .target(name: "CascadeExpressions", dependencies: ["CascadeJSON"]),

        // MARK: - Policy
        .target(name: "CascadePolicy", dependencies: ["CascadeExpressions", "CascadeWire"]),

        // MARK: - Pure state machines
        .target(
            name: "CascadeBroker",
            dependencies: [
                "CascadeExpressions", "CascadeJSON", "CascadePolicy", "CascadeWire",
                .product(name: "BasicContainers", package: "swift-collections"),
                .product(name: "BitCollections", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "CascadeSession",
            dependencies: [
                "CascadeWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),

        // MARK: - Sites
        .target(
            name: "CascadeSite",
            dependencies: [
                "CascadeExpressions", "CascadeJSON", "CascadeSession", "CascadeWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),

        // MARK: - Journal
        .target(name: "CascadeJournal", dependencies: ["CascadeWire"]),

        // MARK: - Documents of inspection
        .target(name: "CascadeInspection", dependencies: ["CascadeJSON", "CascadeWire"]),

        // MARK: - Shells
        .target(
            name: "Cascade",
            dependencies: [
                "CascadeInspection", "CascadeJSON", "CascadeSession", "CascadeWire",
                "LocalTransport", "SystemdService", "ZMTP", "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "CascadeService",
            dependencies: [
                "CLinux", "CascadeExpressions", "CascadeJSON", "CascadeWire", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "CascadeTestKit",
            dependencies: ["Cascade", "CascadeBroker", "CascadeSession", "CascadeWire", "ZeroMQ"]),
        .target(
            name: "CascadeDaemon",
            dependencies: [
                "CLinux", "CascadeBroker", "CascadeExpressions", "CascadeJSON", "CascadeJournal",
                "CascadePolicy", "CascadeService", "CascadeWire", "LocalTransport",
                "SystemdService", "ZMTP", "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // MARK: - Simulation
        .target(
            name: "CascadeSimulator",
            dependencies: [
                "CascadeBroker", "CascadeSession", "CascadeWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),

        // MARK: - Programs
        .executableTarget(
            name: "cascade-simulate",
            dependencies: [
                "CascadeSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "cascaded",
            dependencies: [
                "CLinux", "CascadeDaemon", "CascadeService", "CascadeWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "cascadectl",
            dependencies: [
                "CLinux", "Cascade", "CascadeExpressions", "CascadeInspection", "CascadeJSON",
                "CascadePolicy", "CascadeSession", "CascadeWire", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),

        // MARK: - Examples
        .executableTarget(
            name: "alert-console",
            dependencies: [
                "Cascade", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/AlertConsole"
        ),
        .executableTarget(
            name: "kitchen", dependencies: ["Cascade"], path: "Sources/Examples/Kitchen"),
        .target(
            name: "PrintShopEvents", dependencies: ["Cascade"],
            path: "Sources/Examples/PrintShop/Events"),
        .executableTarget(
            name: "print-shop-display",
            dependencies: [
                "Cascade", "PrintShopEvents",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/PrintShop/Display"
        ),
        .executableTarget(
            name: "print-shop-floor",
            dependencies: [
                "Cascade", "PrintShopEvents",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/PrintShop/Floor"
        ),
        .executableTarget(
            name: "print-shop-printer",
            dependencies: [
                "Cascade", "PrintShopEvents",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/PrintShop/Printer"
        ),
        .executableTarget(
            name: "print-shop-spool",
            dependencies: [
                "Cascade", "PrintShopEvents",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/Examples/PrintShop/Spool"
        ),

        // MARK: - Tests
        .executableTarget(
            name: "broker-benchmark", dependencies: ["CascadeBroker", "CascadeWire"],
            path: "Tests/Benchmarks"),
        .executableTarget(
            name: "library-benchmark", dependencies: ["Cascade"], path: "Tests/LibraryBenchmark"),
        .executableTarget(
            name: "conformance-worker", dependencies: ["Cascade"], path: "Tests/Conformance"),
        .executableTarget(
            name: "chaos-worker", dependencies: ["Cascade"], path: "Tests/Chaos/Worker"),
        .target(
            name: "CascadeFuzzing",
            dependencies: [
                "CascadeBroker", "CascadeDaemon", "CascadeExpressions", "CascadeJSON",
                "CascadeJournal", "CascadePolicy", "CascadeService", "CascadeSession",
                "CascadeSite", "CascadeWire", "ZMTP",
            ],
            path: "Tests/Fuzzing/Targets"),
        .testTarget(
            name: "FuzzingTests", dependencies: ["CascadeFuzzing"], path: "Tests/Fuzzing/Replay"),
        .target(
            name: "CascadeTestSupport",
            dependencies: [.product(name: "Logging", package: "swift-log")],
            path: "Tests/TestSupport"),
        .testTarget(
            name: "CascadeBrokerTests",
            dependencies: [
                "CascadeBroker", "CascadeJSON", "CascadePolicy", "CascadeSimulator",
                "CascadeTestSupport", "CascadeWire",
            ],
            exclude: ["Scenarios"]),
        .testTarget(
            name: "CascadeDaemonTests",
            dependencies: [
                "CLinux", "CascadeBroker", "CascadeDaemon", "CascadeService", "CascadeTestSupport",
                "CascadeWire", "LocalTransport", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "CascadeExpressionsTests",
            dependencies: ["CascadeExpressions", "CascadeTestSupport"]),
        .testTarget(
            name: "CascadeInspectionTests",
            dependencies: [
                "CascadeInspection", "CascadeJSON", "CascadeTestSupport", "CascadeWire",
            ],
            exclude: ["Recorded"]),
        .testTarget(name: "CascadeJSONTests", dependencies: ["CascadeJSON", "CascadeTestSupport"]),
        .testTarget(
            name: "CascadeJournalTests",
            dependencies: [
                "CascadeBroker", "CascadeDaemon", "CascadeJournal", "CascadeSession",
                "CascadeSimulator",
                "CascadeTestSupport", "CascadeWire",
            ]),
        .testTarget(
            name: "CascadePolicyTests",
            dependencies: ["CascadePolicy", "CascadeTestSupport", "CascadeWire"]),
        .testTarget(
            name: "CascadeServiceTests", dependencies: ["CascadeService", "CascadeTestSupport"]),
        .testTarget(
            name: "CascadeSessionTests",
            dependencies: ["CascadeSession", "CascadeTestSupport", "CascadeWire"]),
        .testTarget(
            name: "CascadeSiteTests",
            dependencies: [
                "CascadeBroker", "CascadeExpressions", "CascadeJSON", "CascadeSession",
                "CascadeSite", "CascadeTestSupport", "CascadeWire",
            ]),
        .testTarget(
            name: "CascadeTests",
            dependencies: [
                "Cascade", "CascadeExpressions", "CascadeSession", "CascadeTestKit",
                "CascadeTestSupport", "CascadeWire", "ZeroMQ",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(
                    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(
                    name: "InMemoryTracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
                .product(
                    name: "Tracing", package: "swift-distributed-tracing",
                    condition: .when(traits: ["Tracing"])),
            ]
        ),
        .testTarget(
            name: "CascadeWireTests", dependencies: ["CascadeTestSupport", "CascadeWire"]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["Cascade", "CascadeInspection", "CascadeWire", "cascadectl"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "CLinux", "Cascade", "CascadeTestSupport", "CascadeWire", "PrintShopEvents",
                "ZeroMQ",
                "alert-console", "cascadectl", "cascaded", "chaos-worker",
                "conformance-worker", "kitchen", "print-shop-display", "print-shop-floor",
                "print-shop-printer", "print-shop-spool",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            // The hostile peers of sites need the library of their server, as its programs do.
            exclude: Context.environment["CASCADE_SITES"] == nil
                ? ["Python", "Sites/Hostile"] : ["Python"]
        ),
        .testTarget(
            name: "LocalTransportTests",
            dependencies: ["CLinux", "CascadeTestSupport", "LocalTransport", "ZMTP", "ZeroMQ"]),
        // A target as an app may have it: only its isolation differs from that of Swift 6.
        .testTarget(
            name: "MainActorTests", dependencies: ["Cascade", "CascadeTestKit"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "PrintShopTests",
            dependencies: ["Cascade", "CascadeTestSupport", "PrintShopEvents"]),
        .testTarget(name: "SimulationTests", dependencies: ["CascadeSimulator"]),
        .testTarget(
            name: "SystemdServiceTests", dependencies: ["CascadeTestSupport", "SystemdService"]),
        .testTarget(name: "TidyTests"),
        .testTarget(name: "ZMTPTests", dependencies: ["CZeroMQ", "CascadeTestSupport", "ZMTP"]),
        .testTarget(name: "ZeroMQTests", dependencies: ["CLinux", "CascadeTestSupport", "ZeroMQ"]),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: - libnats

// libnats is needed for sites alone, so an ordinary build has no target that links it: deploy/test
// requests them.
if Context.environment["CASCADE_SITES"] != nil {
    package.targets += [
        .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"])]),
        .target(name: "NATS", dependencies: ["CNATS", "CSodium", "ZeroMQ"]),
        .testTarget(
            name: "NATSTests",
            dependencies: ["CascadeSite", "CascadeTestSupport", "CascadeWire", "NATS", "ZeroMQ"]),
        .executableTarget(
            name: "cascade-site",
            dependencies: [
                "CLinux", "CSodium", "Cascade", "CascadeExpressions", "CascadeService",
                "CascadeSession", "CascadeSite", "CascadeWire", "LocalTransport", "NATS",
                "SystemdService", "ZMTP", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "site-benchmark", dependencies: ["CNATS"], path: "Tests/SiteBenchmark"),
        .testTarget(
            name: "SiteProgramTests",
            dependencies: [
                "CascadeExpressions", "CascadeService", "CascadeSite", "CascadeTestSupport",
                "CascadeWire", "NATS", "ZeroMQ", "cascade-site", "cascadectl", "cascaded",
            ]),
    ]
    // The tests of sites run only if the program is built.
    package.targets.first { $0.name == "IntegrationTests" }?.dependencies += [
        "CascadeSite", "NATS", "cascade-site",
    ]
}

// MARK: - Console

// The console has a server for browsers. An ordinary build neither resolves nor compiles it:
// deploy/console requests it.
if Context.environment["CASCADE_CONSOLE"] != nil {
    package.dependencies.append(
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"))
    package.targets += [
        .target(name: "CConsoleAssets", exclude: ["Page"]),
        .target(
            name: "CascadeConsole",
            dependencies: [
                "CConsoleAssets", "CLinux", "Cascade", "CascadeInspection", "CascadeJSON",
                "CascadeService", "CascadeSession", "CascadeWire", "SystemdService",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "cascade-console",
            dependencies: [
                "CLinux", "CascadeConsole", "CascadeService",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "CascadeConsoleTests",
            dependencies: [
                "CascadeConsole", "CascadeJSON", "CascadeSession", "CascadeTestSupport",
                "CascadeWire",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
    ]
}

// MARK: - Settings of every target without its own

let targetsInC: Set = ["CConsoleAssets", "CLinux"]
for target in package.targets
where target.type != .system && target.swiftSettings == nil && !targetsInC.contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

// MARK: - Fuzzing

// libFuzzer is not part of an ordinary build: deploy/fuzz requests it, and names its runtime.
if Context.environment["CASCADE_FUZZING"] != nil {
    let fuzzed: Set = [
        "CascadeBroker", "CascadeDaemon", "CascadeExpressions", "CascadeFuzzing", "CascadeJSON",
        "CascadeJournal", "CascadePolicy", "CascadeService", "CascadeSession", "CascadeSite",
        "CascadeWire", "ZMTP",
    ]
    for target in package.targets where fuzzed.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
    }
    package.targets += [
        .target(name: "LibFuzzer", path: "Tests/Fuzzing/LibFuzzer"),
        .executableTarget(
            name: "cascade-fuzz", dependencies: ["CascadeFuzzing", "LibFuzzer"],
            path: "Tests/Fuzzing/Program"),
    ]
}
