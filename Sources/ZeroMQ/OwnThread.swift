// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that runs one function: a loop, or a call that blocks and must not hold an executor's
/// thread.
package struct OwnThread: @unchecked Sendable {
    private final class Work: Sendable {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }
    }

    // A handle, which is only passed to pthread functions.
    private let thread: pthread_t

    /// Runs `perform` on a new thread, which ends with it. ``join()`` or ``detach()`` must follow.
    /// Throws `ZeroMQError` if the system cannot start a thread.
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

    /// Runs `perform` on a thread that is never joined. Throws like ``init(_:)``.
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
