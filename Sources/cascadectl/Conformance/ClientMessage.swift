// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// A message that the client under test has sent.
struct ClientMessage {
    let header: Header
    let bytes: [UInt8]

    /// Reads a frame. Throws ``Deviation`` if it is not a message of the protocol, or sets a member
    /// of the header that no message of a worker has.
    init(_ bytes: [UInt8]) throws {
        do throws(WireError) {
            header = try Header(parsing: bytes)
        } catch {
            throw Deviation(
                expected: "a message of the protocol", received: "\(bytes.count) bytes: \(error)")
        }
        self.bytes = bytes
        guard header.origin == Header.noNode, header.session == 0 else {
            throw Deviation(
                expected: "'\(header.command)' with origin none and session 0 in its header",
                received: "origin \(header.origin), session \(header.session)")
        }
    }

    /// Reads the message as one of its types. Throws ``Deviation`` if its fields are invalid.
    func read<M: WireMessage>(_: M.Type = M.self) throws -> M {
        try valid { () throws(WireError) in try M(header: header, fields: header.fields(of: bytes))
        }
    }

    /// The fields of a trigger or publication, or of a verdict that replaces.
    var raisedFields: RaisedFields {
        get throws {
            try valid { () throws(WireError) in
                try RaisedFields(fields: header.fields(of: bytes))
            }
        }
    }

    /// The payload as text.
    var payload: String {
        String(decoding: header.payload(of: bytes), as: UTF8.self)
    }

    private func valid<Value>(_ read: () throws(WireError) -> Value) throws -> Value {
        do throws(WireError) {
            return try read()
        } catch {
            throw Deviation(
                expected: "a valid '\(header.command)'", received: error.description)
        }
    }
}

extension ClientMessage: CustomStringConvertible {
    /// The command, and the members of the header that identify the message.
    var description: String {
        var words = ["'\(header.command)'"]
        func add(_ name: String, _ value: some BinaryInteger, unless usual: some BinaryInteger) {
            if value != usual {
                words.append("\(name) \(value)")
            }
        }
        add("node", header.node, unless: Header.noNode)
        add("index", header.index, unless: 0)
        add("id", header.id, unless: 0)
        add("sequence", header.sequence, unless: 0)
        add("code", header.code, unless: 0)
        add("flags", header.flags.rawValue, unless: 0)
        return words.joined(separator: " ")
    }
}
