// SPDX-License-Identifier: Apache-2.0

/// The bus's card as the command line shows it in JSON.
struct ShownStatus: Decodable {
    var counters: [String: Int]
}
