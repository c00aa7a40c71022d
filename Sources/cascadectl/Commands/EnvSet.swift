// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade

/// Sets values from outside.
struct EnvSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set values from outside the tree, either all or none.",
        discussion: """
            The bus keeps the values until they are unset, even if nodes attach and leave. A value \
            is JSON, so a string needs quotes: mode='"dark"'.
            """)

    @OptionGroup var setting: SettingOptions

    @Argument(help: ArgumentHelp("Keys with their values.", valueName: "key=json"))
    var values: [String]

    @Flag(
        name: .customLong("self"),
        help: "Include the node at the path itself. Values set from outside always do.")
    var isForItself = false

    @Flag(help: "Keep the values when nodes leave. Values set from outside are always kept.")
    var sticky = false

    func run() async throws {
        try await setting.set(
            values.map {
                try EnvironmentSetting(argument: $0, isForItself: isForItself, isSticky: sticky)
            })
    }
}
