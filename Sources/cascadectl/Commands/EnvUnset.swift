// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Removes values that were set from outside.
struct EnvUnset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Remove values that are set at a path, either all or none.")

    @OptionGroup var setting: SettingOptions

    @Argument(help: "Names of the keys.", completion: .keys, transform: EventName.argument)
    var keys: [EventName]

    func run() async throws {
        try await setting.set(keys.map { EnvironmentSetting($0, nil) })
    }
}
