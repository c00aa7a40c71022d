// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A pthread mutex at a fixed address.
///
/// Not `Synchronization.Mutex`, whose slow path the thread sanitizer cannot see on Linux: it would
/// report false races, and stop being a usable gate.
package struct Lock: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init: \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while holding the lock. Not reentrant.
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
