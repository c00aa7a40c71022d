// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Sets values from outside.
struct EnvSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set values from outside; several are set together, or none.",
        discussion: """
            The bus keeps them until they are unset, whoever comes and goes. A value is JSON, so \
            that a string stands in quotes: mode='"dark"'.
            """)

    @OptionGroup var setting: SettingOptions

    @Argument(help: ArgumentHelp("Keys and values.", valueName: "key=json"))
    var values: [String]

    @Flag(
        name: .customLong("self"),
        help: "Read at the path itself too, as whatever is set from outside is.")
    var isForItself = false

    @Flag(help: "Keep it when nodes go, as whatever is set from outside is kept.")
    var sticky = false

    func run() async throws {
        try await setting.set(
            values.map {
                try EnvironmentSetting(argument: $0, isForItself: isForItself, isSticky: sticky)
            })
    }
}
