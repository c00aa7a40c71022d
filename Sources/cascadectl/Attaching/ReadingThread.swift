// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of its own for what blocks until somebody writes.
enum ReadingThread {
    /// Runs `body` there. Throws ``Stop`` where the system has no thread.
    static func start(_ body: @escaping @Sendable () -> Void) throws {
        let reader = Unmanaged.passRetained(Reader(body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else {
                    return nil
                }
                Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, reader.toOpaque())
        guard result == 0 else {
            reader.release()
            throw Stop(.failure, "no thread is to be had: \(String(cString: strerror(result)))")
        }
        pthread_detach(thread)
    }

    private final class Reader {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
