// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread for a call that blocks: no executor's thread is to wait for the outside world.
enum BackgroundThread {
    private final class Work: Sendable {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }
    }

    /// Runs `perform` on a thread of its own, which ends with it. Throws ``SystemCallError`` if
    /// there is none to be had.
    static func start(_ perform: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        let retained = Unmanaged.passRetained(Work(perform))
        errno = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else {
                    return nil
                }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().perform()
                return nil
            }, retained.toOpaque())
        guard errno == 0 else {
            retained.release()
            throw SystemCallError("pthread_create")
        }
        pthread_detach(thread)
    }
}
