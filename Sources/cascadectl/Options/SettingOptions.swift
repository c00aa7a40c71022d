// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// The path for values set from outside.
struct SettingOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Path of the values, which are read at and below it.", valueName: "path"),
        completion: .nodes, transform: NodePath.argument)
    var at: NodePath = .root

    /// Sets all values or none, and prints them.
    func set(_ settings: [EnvironmentSetting]) async throws {
        try await bus.withBus { bus in
            _ = try await bus.link.send {
                SetEnvironment(request: $0, path: at, Assignments(settings: settings))
            }
        }
        output.show(SettingsDocument(path: at, settings: settings))
    }
}
