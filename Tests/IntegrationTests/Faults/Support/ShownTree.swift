// SPDX-License-Identifier: Apache-2.0

/// The tree as the command line prints it in JSON, without members that change by themselves.
struct ShownTree: Decodable, Equatable {
    struct Node: Decodable, Equatable {
        var path: String
        var state: String
        var pid: Int32?
        var session: String?
        var children: Int
    }

    var nodes: [Node]

    subscript(path: String) -> Node? {
        nodes.first { $0.path == path }
    }
}
