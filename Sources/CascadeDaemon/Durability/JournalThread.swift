// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import CascadeJournal
import Glibc
import ZeroMQ

/// Writes the journal on a thread of its own, so that the router's thread never waits for the disk.
/// Entries that come while it writes go into the next write, with one sync for all.
///
/// Unchecked, because the compiler can't see that the journal belongs to the thread alone once that
/// runs, and the rest to the router.
final class JournalThread: @unchecked Sendable {
    private let entries: PollableQueue<JournalEntry>
    private let answers: PollableQueue<Input>
    private var journal: Journal<FolderDisk>
    private var thread: OwnThread?

    /// Reads what is in the state directory. Throws `JournalError` if it cannot be used at all.
    static func open(
        _ path: String
    ) throws(JournalError) -> (thread: JournalThread, report: JournalReport) {
        _ = mkdir(path, 0o700)
        do throws(GuardedFileError) {
            // What may be written by others here could be their event in another user's name.
            try GuardedFile.checkFolder(path)
        } catch {
            throw JournalError("the state directory cannot be used: \(error)")
        }
        let disk = try FolderDisk(path + "/journal", check: Self.check)
        var journal = Journal(disk: disk) { UInt64.random(in: .min ... .max) }
        let report = try journal.open()
        return (try JournalThread(journal), report)
    }

    private static func check(
        _ ownership: FileOwnership, _ path: String
    ) throws(JournalError) {
        do throws(GuardedFileError) {
            try GuardedFile.check(ownership, path, .trusted)
        } catch {
            throw JournalError("the journal cannot be used: \(error)")
        }
    }

    private init(_ journal: Journal<FolderDisk>) throws(JournalError) {
        self.journal = journal
        do throws(ZeroMQError) {
            entries = try PollableQueue()
            answers = try PollableQueue()
        } catch {
            throw JournalError("the journal's thread has no descriptors: \(error)")
        }
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
        entries.finish()
        thread?.join()
        thread = nil
    }

    // MARK: - For the router

    /// Readable when there are answers.
    var pollItem: PollItem {
        answers.pollItem
    }

    func submit(_ new: [JournalEntry]) {
        entries.append(contentsOf: new)
    }

    /// What has become of what was submitted, in order.
    func takeAnswers() -> [Input] {
        answers.takeAll()
    }

    // MARK: - On the thread

    private func run() {
        _ = cascade_name_thread("journal")
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        while let batch = entries.next() {
            var answer = journal.write(batch)
            if let damage = journal.takeDamage() {
                answer.append(.journalDamaged(count: damage.count, evidence: damage.evidence))
            }
            answers.append(contentsOf: answer)
        }
    }
}
