// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reference that many read at any time while somebody replaces it now and then. A reader neither
/// waits nor takes a lock, and owns what it got.
///
/// An object that was replaced is kept until a moment is seen at which nobody is about to take it:
/// a reader says so before it looks.
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

    /// What `look` finds in the object, which is not kept for longer than that takes.
    func read<Found>(_ look: (Object) -> Found) -> Found {
        readerCount.add(1, ordering: .sequentiallyConsistent)
        let found = owned(look)
        readerCount.subtract(1, ordering: .sequentiallyConsistent)
        return found
    }

    /// Not inlined, so that what was found is retained when it returns.
    @inline(never)
    private func owned<Found>(_ look: (Object) -> Found) -> Found {
        current.load(ordering: .sequentiallyConsistent)._withUnsafeGuaranteedRef(look)
    }

    /// To be called by one at a time.
    func replace(with object: Object) {
        let old = current.exchange(
            Unmanaged.passRetained(object), ordering: .sequentiallyConsistent
        ).takeRetainedValue()
        let released = replaced.withLock { replaced in
            replaced.append(old)
            // Whoever comes from now on gets the new object.
            guard readerCount.load(ordering: .sequentiallyConsistent) == 0 else {
                return [Object]()
            }
            defer { replaced = [] }
            return replaced
        }
        withExtendedLifetime(released) {}
    }
}
