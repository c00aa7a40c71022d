// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import Glibc

/// The options that select a bus.
struct BusOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Endpoint of the bus, in ZeroMQ's notation; otherwise CASCADE_BUS, the user's bus if \
            there is one, or the system's bus.
            """, valueName: "endpoint"))
    var bus: String?

    // A key may begin with a hyphen, which is in the alphabet of Z85.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Public key of a bus on another machine; otherwise CASCADE_SERVER_KEY.",
            valueName: "key"))
    var serverKey: String?

    @Option(
        help: ArgumentHelp(
            """
            File of 'keygen' with the key pair for a bus on another machine; otherwise \
            CASCADE_KEY_FILE.
            """, valueName: "file"))
    var keyFile: String?

    /// Returns the keys of the options; `nil` without such options. Throws ``Stop`` if one is
    /// missing.
    func keys() throws -> BusKeys? {
        guard serverKey != nil || keyFile != nil else {
            return nil
        }
        let key = serverKey ?? getenv("CASCADE_SERVER_KEY").map { String(cString: $0) }
        let file = keyFile ?? getenv("CASCADE_KEY_FILE").map { String(cString: $0) }
        guard let key, let file else {
            throw Stop(.usage, "--server-key and --key-file require each other")
        }
        return try BusKeys(serverKey: key, file: file)
    }

    var endpoint: String {
        bus ?? BusEndpoint.standard
    }
}
