// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeDaemon
import CascadeService

/// The flags of the settings. Their values are texts, which ``CascadeDaemon/Setting`` checks like those of
/// files and variables.
struct SettingOptions: ParsableArguments {
    @Option(name: .long, parsing: .upToNextOption, help: .of("listen"))
    var listen: [String] = []

    @Option(help: .of("transport")) var transport: String?
    @Option(help: .of("spin")) var spin: String?
    @Option(help: .of("grace")) var grace: String?
    @Option(help: .of("settle")) var settle: String?
    @Option(help: .of("deadline")) var deadline: String?
    @Option(help: .of("beat")) var beat: String?
    @Option(help: .of("reattach")) var reattach: String?
    @Option(help: .of("resume")) var resume: String?
    @Option(help: .of("greeting")) var greeting: String?
    @Option(help: .of("stop")) var stop: String?
    @Option(help: .of("rules")) var rules: [String] = []
    @Option(help: .of("policy")) var policy: [String] = []
    @Option(help: .of("curveKey")) var curveKey: String?
    @Option(help: .of("authorizedKeys")) var authorizedKeys: String?
    @Flag(help: "Service of tcp to other machines even without a key.")
    var allowPlainTcp = false
    @Option(help: .of("stateDirectory")) var stateDirectory: String?
    @Option(help: .of("log.level")) var logLevel: String?
    @Option(help: .of("log.format")) var logFormat: String?
    @Option(help: .of("metricsSocket")) var metricsSocket: String?
    @Option(help: .of("metricsNodes")) var metricsNodes: String?
    @Option(name: .customLong("limit"), help: .ofLimits) var limits: [String] = []

    /// The settings given on the command line.
    var placed: [PlacedSetting] {
        let texts: [(String, String?)] = [
            ("transport", transport), ("spin", spin), ("grace", grace), ("settle", settle),
            ("deadline", deadline),
            ("beat", beat), ("reattach", reattach), ("resume", resume), ("greeting", greeting),
            ("stop", stop), ("curveKey", curveKey), ("authorizedKeys", authorizedKeys),
            ("allowPlainTcp", allowPlainTcp ? "true" : nil),
            ("stateDirectory", stateDirectory), ("log.level", logLevel), ("log.format", logFormat),
            ("metricsSocket", metricsSocket), ("metricsNodes", metricsNodes),
        ]
        let lists = [("listen", listen), ("rules", rules), ("policy", policy)]
            .filter { !$0.1.isEmpty }
        return lists.map { Self.placed($0, .list($1)) }
            + texts.compactMap { key, text in text.map { Self.placed(key, .scalar($0)) } }
            + limits.map(Self.limit)
    }

    private static func placed(_ key: String, _ value: RawSetting) -> PlacedSetting {
        PlacedSetting(key, value, .flag(Setting.of(key).flag))
    }

    private static func limit(_ text: String) -> PlacedSetting {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? RawSetting.scalar(String(parts[1])) : .empty
        return PlacedSetting("limits.\(parts[0])", value, .flag("--limit"))
    }
}
