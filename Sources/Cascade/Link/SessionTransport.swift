// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// The carrier of a session's messages: libzmq, or a bus in memory. The session behaves the same on
/// both.
package protocol SessionTransport: AnyObject {
    func send(_ header: Header)
    func send(_ message: [UInt8])
    func send(_ header: Header, fields: [UInt8], payload: [UInt8])

    /// Replaces the connection, now or later, and then calls ``Link/connected()``.
    func reconnect()

    /// Stops sending and receiving messages.
    func close()
}
