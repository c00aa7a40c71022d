// SPDX-License-Identifier: Apache-2.0

package import CascadeWire

/// What carries a session's messages: libzmq, or a bus in memory. A session cannot tell which.
package protocol SessionTransport: AnyObject {
    func send(_ header: Header)
    func send(_ message: [UInt8])
    func send(_ header: Header, fields: [UInt8], payload: [UInt8])

    /// The connection is of no use any more. Makes a new one, now or a little later, and then says
    /// ``Link/connected()``.
    func reconnect()

    /// No message comes or goes from now on.
    func close()
}
