// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reference with many readers and rare replacements. Readers take no lock and never wait, and
/// own the object that they read.
///
/// Replaced objects are retained until a replacement observes a reader count of zero; a reader
/// increments the count before it loads the reference.
final class LatestReference<Object: AnyObject & Sendable>: Sendable {
    private let current: Atomic<Unmanaged<Object>>
    private let readerCount = Atomic<Int>(0)
    private let replaced = Mutex<[Object]>([])

    init(_ object: Object) {
        current = Atomic(Unmanaged.passRetained(object))
    }

    deinit {
        current.load(ordering: .acquiring).release()
    }

    var object: Object {
        read { $0 }
    }

    /// Returns the result of `look` for the current object. The object may be released when `look`
    /// has returned.
    func read<Found>(_ look: (Object) -> Found) -> Found {
        readerCount.add(1, ordering: .sequentiallyConsistent)
        let found = owned(look)
        readerCount.subtract(1, ordering: .sequentiallyConsistent)
        return found
    }

    /// Not inlined, so that the result is retained when the function returns.
    @inline(never)
    private func owned<Found>(_ look: (Object) -> Found) -> Found {
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(look)
    }

    /// Replaces the object. Calls must not overlap.
    func replace(with object: Object) {
        let old = current.exchange(
            Unmanaged.passRetained(object), ordering: .sequentiallyConsistent
        ).takeRetainedValue()
        let released = replaced.withLock { replaced in
            replaced.append(old)
            // Later readers load the new object, so a count of zero means that no reader uses the
            // old ones.
            guard readerCount.load(ordering: .sequentiallyConsistent) == 0 else {
                return [Object]()
            }
            defer { replaced = [] }
            return replaced
        }
        withExtendedLifetime(released) {}
    }
}
