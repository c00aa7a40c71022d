// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of its own for one function: for a loop, or for a call that blocks, for which no
/// executor's thread is to wait.
package struct OwnThread: @unchecked Sendable {
    private final class Work: Sendable {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }
    }

    // A handle, and never read as anything else.
    private let thread: pthread_t

    /// Runs `perform` there; the thread ends with it. Either ``join()`` or ``detach()`` has to
    /// follow. Throws `ZeroMQError` if there is no thread to be had.
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

    /// Runs `perform` on a thread whose end nobody waits for. Throws as ``init(_:)`` does.
    package static func detached(_ perform: @escaping @Sendable () -> Void) throws(ZeroMQError) {
        try OwnThread(perform).detach()
    }

    /// Waits for the thread's end.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Nobody will wait for its end.
    package func detach() {
        pthread_detach(thread)
    }
}
