// SPDX-License-Identifier: Apache-2.0

import Cascade
import Glibc

/// The settings of a console.
package struct ConsoleOptions: Sendable {
    /// A bus to show.
    package struct Bus: Sendable, Equatable {
        /// The name by which pages ask for the bus.
        package let name: String
        package let endpoint: String
        /// The file with the console's key pair for a bus on another machine, and the public key of that bus;
        /// `nil` for the keys that the environment names.
        var keyFile: String?
        var trust: String?

        /// Whether the bus is that of all users of the machine.
        var isOfSystem: Bool {
            endpoint == BusEndpoint.system
        }

        /// Reads `ENDPOINT` or `NAME=ENDPOINT`. `nil` if a name has other characters than letters, digits,
        /// `-`, `_` and `.`.
        package init?(_ text: String) {
            guard let scheme = text.firstRange(of: "://"),
                let equals = text[..<scheme.lowerBound].firstIndex(of: "=")
            else {
                name = text
                endpoint = text
                return
            }
            name = String(text[..<equals])
            endpoint = String(text[text.index(after: equals)...])
            let isPlain = name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
            guard isPlain, !name.isEmpty else {
                return nil
            }
        }
    }

    /// The number of buses.
    package static let busCountMax = Buses.countMax

    /// The buses; none for the standard one.
    package var buses: [Bus] = []
    package var addresses: [ListenAddress] = [.loopback(port: 0)]
    /// Further names by which browsers reach the console.
    package var hosts: Set<String> = []
    /// The path below which a proxy serves the page, such as `/console`; empty for none.
    package var base = ""
    /// The user of the proxy in front of the console; `nil` without one.
    package var proxyUserID: UInt32?
    /// Whether pages show the payloads of messages; `nil` for those of every bus but the system's.
    package var withPayloads: Bool?
    /// What pages may ask for, as far as policy allows it.
    package var actions: Set<ActionKind> = []
    /// The time without a request after which the console ends; `nil` if it does not end.
    package var idleLimit: Duration?
    /// The directory in which everything is recorded; `nil` to record in memory while a page is visible.
    package var recordDirectory: String?
    /// The limit of the size of all files in ``recordDirectory``, in bytes.
    package var recordByteCountMax = 1_073_741_824
    /// The file of `cascadectl capture` that is shown instead of a bus.
    package var captureFile: String?
    /// The directory from which the page is read instead of from the program.
    package var pageDirectory: String?

    package init() {}

    /// Returns the number of a user by name or number; `nil` if there is none.
    package static func userID(of name: String) -> UInt32? {
        UInt32(name) ?? getpwnam(name)?.pointee.pw_uid
    }
}
