// SPDX-License-Identifier: Apache-2.0

import CascadeDaemon
import CascadeJSON
import CascadeService
import CascadeWire

/// Checks that an accepted configuration is printed as an equal one.
enum ConfigurationFuzzing {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(ConfigurationError) {
            check(try DaemonConfiguration(text: text, file: "fuzzed.yaml"))
        } catch {
            precondition(!error.faults.isEmpty && !error.faults.contains { $0.sentence.isEmpty })
            precondition(error.faults.allSatisfy { $0.origin != nil })
        }
    }

    private static func check(_ configuration: DaemonConfiguration) {
        let written = configuration.text
        precondition(written.unicodeScalars.allSatisfy { $0 == "\n" || !$0.controlsTerminal })
        guard let again = try? DaemonConfiguration(text: written, file: "written.yaml") else {
            preconditionFailure("'\(written)' is printed, but refused")
        }
        for setting in Setting.all {
            let value = setting.value(in: configuration.options)
            precondition(
                setting.value(in: again.options) == value,
                "\(setting.key) differs from \(value) after printing")
        }
    }
}
