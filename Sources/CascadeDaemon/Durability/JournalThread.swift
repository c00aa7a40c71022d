// SPDX-License-Identifier: Apache-2.0

import CZeroMQ
import CascadeBroker
import CascadeJournal
import Glibc
import ZeroMQ

/// Writes the journal on a thread of its own, so that nobody but who waits for it waits for the
/// disk. Whatever has come while it wrote goes into the next write, with one sync for all.
///
/// Unchecked, because the compiler can't see that the lock guards what both sides touch, and that
/// the journal belongs to the thread alone once that runs.
final class JournalThread: @unchecked Sendable {
    private let lock = Lock()
    private var entries: [JournalEntry] = []
    private var answers: [Input] = []
    private var isEnding = false

    private var journal: Journal<FolderDisk>
    private let hasWork: Int32
    private let hasAnswers: Int32
    private var thread: OwnThread?

    /// Reads what is in the state directory. Throws `JournalError` if it cannot be used at all.
    static func open(
        _ path: String
    ) throws(JournalError) -> (thread: JournalThread, report: JournalReport) {
        _ = mkdir(path, 0o700)
        var journal = Journal(disk: try FolderDisk(path + "/journal")) {
            UInt64.random(in: .min ... .max)
        }
        let report = try journal.open()
        return (try JournalThread(journal), report)
    }

    private init(_ journal: Journal<FolderDisk>) throws(JournalError) {
        self.journal = journal
        hasWork = cascade_eventfd_create()
        hasAnswers = cascade_eventfd_create()
        guard hasWork >= 0, hasAnswers >= 0 else {
            throw JournalError("the journal's thread has no descriptors: \(errno)")
        }
    }

    deinit {
        close(hasWork)
        close(hasAnswers)
    }

    func start() throws(JournalError) {
        do throws(ZeroMQError) {
            thread = try OwnThread { self.run() }
        } catch {
            throw JournalError("the journal's thread cannot be started: \(error)")
        }
    }

    /// Writes what is still to be written, and ends.
    func stop() {
        lock.withLock { isEnding = true }
        _ = cascade_eventfd_write(hasWork)
        thread?.join()
        thread = nil
    }

    // MARK: - For the router

    /// Readable when there are answers.
    var pollItem: PollItem {
        .fileDescriptor(hasAnswers)
    }

    func submit(_ new: [JournalEntry]) {
        lock.withLock { entries += new }
        _ = cascade_eventfd_write(hasWork)
    }

    /// What has become of what was submitted, in order.
    func takeAnswers() -> [Input] {
        let taken = lock.withLock {
            defer { answers = [] }
            return answers
        }
        if !taken.isEmpty {
            _ = cascade_eventfd_read(hasAnswers)
        }
        return taken
    }

    // MARK: - On the thread

    private func run() {
        _ = cascade_name_thread("journal")
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        while true {
            let (batch, mayEnd) = lock.withLock {
                defer { entries = [] }
                return (entries, isEnding)
            }
            if let last = batch.last {
                answer(write(batch, upTo: last.number))
            } else if mayEnd {
                return
            } else {
                waitForWork()
            }
        }
    }

    private func write(_ batch: [JournalEntry], upTo number: UInt64) -> Input {
        let changes = batch.map {
            JournalChange(key: $0.key, body: $0.body, isSynced: $0.isSynced)
        }
        do throws(JournalError) {
            try journal.write(changes)
            return .persisted(upTo: number)
        } catch {
            return .notPersisted(upTo: number, error.description)
        }
    }

    private func answer(_ answer: Input) {
        lock.withLock { answers.append(answer) }
        _ = cascade_eventfd_write(hasAnswers)
    }

    private func waitForWork() {
        var item = pollfd(fd: hasWork, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, -1)
        _ = cascade_eventfd_read(hasWork)
    }
}
