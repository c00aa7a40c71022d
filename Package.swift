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
        .library(name: "CascadeTestKit", targets: ["CascadeTestKit"]),
        .executable(name: "cascaded", targets: ["cascaded"]),
        .executable(name: "cascadectl", targets: ["cascadectl"]),
    ],
    traits: [
        .trait(
            name: "ServiceLifecycle",
            description: "Lets a worker run as a Service of swift-service-lifecycle."
        ),
        .default(enabledTraits: ["ServiceLifecycle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(
            url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // MARK: - Protocol and libzmq
        .target(name: "CascadeWire"),
        .target(name: "CZeroMQ"),
        .target(name: "ZeroMQ", dependencies: ["CZeroMQ"]),

        // MARK: - Predicates and rules
        .target(name: "CascadeExpressions"),

        // MARK: - Pure state machines
        .target(
            name: "CascadeBroker",
            dependencies: [
                "CascadeExpressions", "CascadeWire",
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

        // MARK: - Shells
        .target(
            name: "Cascade",
            dependencies: [
                "CascadeSession", "CascadeWire", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "CascadeTestKit",
            dependencies: ["Cascade", "CascadeBroker", "CascadeSession", "CascadeWire"]),
        .target(
            name: "CascadeDaemon",
            dependencies: [
                "CascadeBroker", "CascadeWire", "CZeroMQ", "ZeroMQ",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),

        // MARK: - Simulation
        .target(
            name: "CascadeSimulator",
            dependencies: ["CascadeBroker", "CascadeSession", "CascadeWire"]),

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
                "CascadeDaemon", "CascadeWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .executableTarget(
            name: "cascadectl",
            dependencies: [
                "Cascade", "CascadeExpressions", "CascadeSession", "CascadeWire", "ZeroMQ",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
        .target(name: "CascadeTestSupport", path: "Tests/TestSupport"),
        .testTarget(
            name: "CascadeBrokerTests",
            dependencies: [
                "CascadeBroker", "CascadeSimulator", "CascadeTestSupport", "CascadeWire",
            ],
            exclude: ["Scenarios"]),
        .testTarget(name: "CascadeExpressionsTests", dependencies: ["CascadeExpressions"]),
        .testTarget(
            name: "CascadeSessionTests",
            dependencies: ["CascadeSession", "CascadeTestSupport", "CascadeWire"]),
        .testTarget(
            name: "CascadeTests",
            dependencies: [
                "Cascade", "CascadeExpressions", "CascadeSession", "CascadeTestKit",
                "CascadeTestSupport", "CascadeWire",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(
                    name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ]
        ),
        .testTarget(
            name: "CascadeWireTests", dependencies: ["CascadeTestSupport", "CascadeWire"]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Cascade", "CascadeWire", "PrintShopEvents", "ZeroMQ", "alert-console",
                "cascadectl", "cascaded",
                "print-shop-display", "print-shop-floor", "print-shop-printer",
                "print-shop-spool",
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            exclude: ["Python"]
        ),
        .testTarget(
            name: "PrintShopTests",
            dependencies: ["Cascade", "CascadeTestSupport", "PrintShopEvents"]),
        .testTarget(name: "SimulationTests", dependencies: ["CascadeSimulator"]),
        .testTarget(name: "TidyTests"),
        .testTarget(name: "ZeroMQTests", dependencies: ["CZeroMQ", "ZeroMQ"]),
    ],
    swiftLanguageModes: [.v6]
)

// MARK: - Settings of every target

for target in package.targets where target.type != .system && target.name != "CZeroMQ" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("ImmutableWeakCaptures"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
