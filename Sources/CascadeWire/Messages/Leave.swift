// SPDX-License-Identifier: Apache-2.0

/// Takes a node, or all nodes of this session, out of the tree: visits they have are still
/// answered, new ones do not come.
package struct Leave: WireMessage {
    package static let command = Command.leave

    package var request: UInt64
    /// ``Header/noNode`` for all.
    package var node: UInt32

    package init(request: UInt64, node: UInt32 = Header.noNode) {
        self.request = request
        self.node = node
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        self.init(request: header.id, node: header.node)
    }

    package var header: Header {
        Header(.leave, node: node, id: request)
    }
}
