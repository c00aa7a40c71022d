// SPDX-License-Identifier: Apache-2.0

/// What has changed for one node, in one transaction; or, first of all, what there is.
package struct EnvironmentChanges: WireMessage {
    package static let command = Command.environment

    package var node: UInt32
    /// Whether it is the state before any change: every watched key that has a value.
    package var isSnapshot: Bool
    package var changes: [EnvironmentChange]

    package init(node: UInt32, isSnapshot: Bool = false, _ changes: [EnvironmentChange]) {
        self.node = node
        self.isSnapshot = isSnapshot
        self.changes = changes
    }

    package init(header: Header, fields: FieldReader) throws(WireError) {
        var fields = fields
        self.init(node: header.node, isSnapshot: header.code == 1, [])
        while let field = try fields.next() {
            if field.tag == .value || field.tag == .preference {
                changes.append(try EnvironmentChange(field))
            }
        }
    }

    package var header: Header {
        Header(.environment, node: node, code: isSnapshot ? 1 : 0)
    }

    package func write(to fields: inout FieldWriter) {
        for change in changes {
            change.write(to: &fields)
        }
    }
}
