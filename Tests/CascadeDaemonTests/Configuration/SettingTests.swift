// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeService
import CascadeTestSupport
import CascadeWire
import FoundationEssentials
import Testing

@testable import CascadeDaemon

/// The table of settings and what is derived from it.
@Suite struct SettingTests {
    @Test func `every limit of the bus is a setting`() {
        // The depth of values is fixed.
        let limits = Set(Limits().named.map { "limits.\($0.name)" }).subtracting([
            "limits.valueDepth"
        ])
        #expect(Set(Setting.all.filter(\.isLimit).map(\.key)) == limits)
    }

    @Test func `every default is within its range, and each setting changes one option`() throws {
        for setting in Setting.all {
            let value = setting.value(in: DaemonOptions())
            if value == .none {
                continue
            }
            let raw: RawSetting =
                if case .list(let list) = value {
                    .list(list)
                } else {
                    .scalar(setting.text(value))
                }
            do throws(SettingRefusal) {
                #expect(try setting.value(raw) == value)
            } catch {
                Issue.record("\(setting.key): \(error.sentence)")
            }
            var options = DaemonOptions()
            setting.set(Self.other(setting, value), in: &options)
            let changed = Setting.all.filter {
                $0.value(in: options) != $0.value(in: DaemonOptions())
            }
            #expect(changed.map(\.key) == [setting.key])
        }
    }

    @Test func `the help and Limits.md document the meaning of 0 for each limit that permits it`()
        throws
    {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(root)/Sources/CascadeDaemon/CascadeDaemon.docc/Limits.md"
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        let section = try #require(text.split(separator: "### A limit of 0").last)
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for setting in Setting.all where setting.isLimit {
            let name = "`\(setting.key.dropFirst("limits.".count))`"
            let isDocumented = rows.contains { row in
                row.split(separator: "|").first?.contains(name) == true
            }
            let isAllowed: Bool
            do throws(SettingRefusal) {
                _ = try setting.value(.scalar("0"))
                isAllowed = true
            } catch {
                isAllowed = false
            }
            #expect(isAllowed == isDocumented, "\(setting.key)")
            #expect(isAllowed == setting.meaning.contains(" 0 "), "\(setting.key)")
        }
    }

    private static func other(_ setting: Setting, _ value: SettingValue) -> SettingValue {
        switch value {
        case .number(let number): .number(number + 1)
        case .text(let text): .text(text + "x")
        case .list(let list): .list(list + ["x"])
        case .flag(let flag): .flag(!flag)
        case .none: .text("x")
        }
    }

    @Test func `flags and variables are named after their settings`() {
        #expect(Setting.of("log.level").flag == "--log-level")
        #expect(Setting.of("metricsSocket").flag == "--metrics-socket")
        #expect(Setting.of("limits.nodesPerSession").flag == "--limit")
        #expect(Setting.of("limits.nodesPerSession").variable == "CASCADE_LIMITS_NODES_PER_SESSION")
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
    }

    @Test func `the configuration file in deploy is the printed default`() throws {
        let text = try String(
            contentsOf: URL(filePath: Self.root() + "/deploy/cascaded.yaml"), encoding: .utf8)
        #expect(
            text == Setting.defaultFile,
            "write it anew: cascaded --print-default-config > deploy/cascaded.yaml")
    }

    @Test
    func `the default configuration sets nothing, and without its comment marks the defaults`()
        throws
    {
        let quiet = SettingsText(Setting.defaultFile, file: "f")
        #expect(quiet.settings.isEmpty && quiet.faults.isEmpty)
        // A setting without a default is shown without a value.
        let optional = Setting.all.filter { $0.value(in: DaemonOptions()) == .none }
        let lines = Setting.defaultFile.split(separator: "\n").dropFirst(11)
        let uncommented = lines.filter { !$0.hasPrefix("# ") || $0.hasPrefix("#  ") }
            .map { String($0.dropFirst()) }
            .filter { line in !optional.contains { line.hasPrefix($0.key) } }
            .joined(separator: "\n")
        let directory = try TemporaryDirectory()
        let file = try directory.write("all.yaml", uncommented.utf8)
        let configuration = try DaemonConfiguration(reading: ConfigurationSources(file: file))
        let defaults = DaemonConfiguration(DaemonOptions(), [:])
        #expect(defaults.changes(to: configuration).map(\.key) == [])
        #expect(configuration.origins.count == Setting.all.count - optional.count)
    }

    /// This file is `Tests/CascadeDaemonTests/Configuration/SettingTests.swift`.
    static func root(of file: String = #filePath) -> String {
        "/" + file.split(separator: "/").dropLast(4).joined(separator: "/")
    }

    @Test(arguments: [
        ("grase", "grace"), ("garce", "grace"), ("deadlines", "deadline"), ("Grace", "grace"),
        ("logLevel", "log.level"), ("colour", nil), ("x", nil),
    ])
    func `the nearest name of a misspelled setting is suggested`(text: String, name: String?) {
        #expect(
            Spelling.nearest(to: text, among: Setting.all.map(\.key)) == (name.map { [$0] } ?? []))
    }
}
