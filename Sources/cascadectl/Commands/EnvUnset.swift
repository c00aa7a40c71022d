// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Removes values that were set from outside.
struct EnvUnset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Take back what is set at a path; several keys together, or none.")

    @OptionGroup var setting: SettingOptions

    @Argument(help: "The keys.", completion: .keys, transform: EventName.argument)
    var keys: [EventName]

    func run() async throws {
        try await setting.set(keys.map { EnvironmentSetting($0, nil) })
    }
}
