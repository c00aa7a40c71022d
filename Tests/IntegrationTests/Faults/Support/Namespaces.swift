// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Whether the tests may run a program in a network or time namespace of its own.
enum Namespaces {
    static let haveNetworks = succeed(["--net", "/bin/sh", "-c", "ip link set lo up"])
    static let haveTimes = succeed(["--time", "--monotonic", "60", "/bin/true"])

    /// Whether `unshare` with these arguments succeeds.
    static func succeed(_ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else {
            return false
        }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
