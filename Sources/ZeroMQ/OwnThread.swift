// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that runs one function: a loop, or a call that blocks and must not occupy a thread of an
/// executor.
package struct OwnThread: @unchecked Sendable {
    private final class Work: Sendable {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }
    }

    // The handle is only passed to pthread functions, which any thread may call.
    private let thread: pthread_t

    /// Starts a thread that runs `perform`. ``join()`` or ``detach()`` must follow. Throws `ZeroMQError` if
    /// the system cannot start a thread.
    package init(_ perform: @escaping @Sendable () -> Void) throws(ZeroMQError) {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(perform))
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().perform()
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            throw ZeroMQError(code: result, operation: "start a thread")
        }
        self.thread = thread
    }

    /// Starts a thread that runs `perform` and is never joined. Throws like ``init(_:)``.
    package static func detached(_ perform: @escaping @Sendable () -> Void) throws(ZeroMQError) {
        try OwnThread(perform).detach()
    }

    /// Waits until the thread has ended.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Releases the handle of a thread that is never joined.
    package func detach() {
        pthread_detach(thread)
    }
}

/// A pthread mutex at a fixed address.
///
/// It is used in place of `Synchronization.Mutex`, for which the thread sanitizer reports false races on
/// Linux.
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

    /// Calls `body` while it holds the lock. Not reentrant.
    @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
