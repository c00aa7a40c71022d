// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One connection of the listener: the descriptor of its socket, and the inode, which tells it from
/// those that have had the descriptor before or will have it later.
///
/// libzmq opens and closes these descriptors on a thread of its own, so that a number alone may
/// stand for another connection as soon as it is read.
struct ConnectionID: Hashable {
    let descriptor: Int32
    let inode: UInt64

    init(descriptor: Int32, inode: UInt64) {
        self.descriptor = descriptor
        self.inode = inode
    }

    /// The connection that has the descriptor now; `nil` if none has.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return nil
        }
        self.init(descriptor: descriptor, inode: UInt64(status.st_ino))
    }

    /// Ends the connection, if it has not ended by itself: libzmq has no call to close one
    /// connection of a socket, but notices when the kernel does.
    func shutDown() {
        if ConnectionID(descriptor: descriptor) == self {
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
