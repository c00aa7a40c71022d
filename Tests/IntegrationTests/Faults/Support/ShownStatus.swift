// SPDX-License-Identifier: Apache-2.0

/// The status of the bus as the command line prints it in JSON.
struct ShownStatus: Decodable {
    var counters: [String: Int]
}
