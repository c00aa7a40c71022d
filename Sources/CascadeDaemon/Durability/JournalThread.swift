// SPDX-License-Identifier: Apache-2.0

import CLinux
import CascadeBroker
import CascadeJournal
import Glibc
import ZeroMQ

/// Writes the journal on a thread of its own, so that only the events that need the disk wait for
/// it. Entries submitted during a write are written together next, with one sync.
///
/// Unchecked, because the compiler cannot see that the journal belongs to the thread alone once
/// that runs, and everything else to the broker's thread.
final class JournalThread: @unchecked Sendable {
    private let entries: PollableQueue<JournalEntry>
    private let answers: PollableQueue<Input>
    private var journal: Journal<FolderDisk>
    private var thread: OwnThread?

    /// Reads the state directory, creating it if it is missing. Throws `JournalError` if it is
    /// unusable.
    static func open(
        _ path: String, _ limits: Limits
    ) throws(JournalError) -> (thread: JournalThread, report: JournalReport) {
        _ = mkdir(path, 0o700)
        do throws(GuardedFileError) {
            // Another user with write access here could store an event in the name of a third one.
            try GuardedFile.checkFolder(path)
        } catch {
            throw JournalError("the state directory cannot be used: \(error)")
        }
        let disk = try FolderDisk(
            path + "/journal", fileByteCountMax: Self.fileByteCountMax(limits), check: Self.check)
        var journal = Journal(disk: disk) { UInt64.random(in: .min ... .max) }
        let report = try journal.open()
        return (try JournalThread(journal), report)
    }

    /// The greatest size of a file of the journal. It has at most twice the bytes of its live
    /// records, those of one write, and 4 MiB; each record has a frame, and an outcome has no
    /// limit of its own. A journal of the default limits is always read.
    static func fileByteCountMax(_ limits: Limits) -> Int {
        let standard = Limits()
        let byteCount = Int(max(limits.durableBytes, standard.durableBytes))
        let outcomes = Int(max(limits.durableOutcomes, standard.durableOutcomes))
        let events = Int(max(limits.durable, standard.durable))
        return 4 * (byteCount + frameByteCount * events + outcomeByteCount * outcomes)
    }

    private static let frameByteCount = 64
    private static let outcomeByteCount = 1 << 14

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

    /// Writes the submitted entries, and ends the thread.
    func stop() {
        entries.finish()
        thread?.join()
        thread = nil
    }

    // MARK: - For the broker's thread

    /// Readable when there are answers.
    var descriptor: Int32 {
        answers.descriptor
    }

    func submit(_ new: [JournalEntry]) {
        entries.append(contentsOf: new)
    }

    /// The results of submitted entries, in order.
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
            let diskByteCount = journal.diskByteCount
            var answer = journal.write(batch)
            if journal.diskByteCount != diskByteCount {
                answer.append(.journalDisk(byteCount: UInt64(journal.diskByteCount)))
            }
            if let damage = journal.takeDamage() {
                answer.append(.journalDamaged(count: damage.count, evidence: damage.evidence))
            }
            answers.append(contentsOf: answer)
        }
    }
}

extension Journal {
    /// Writes the entries and returns the results, in order. If not all can be written, those that
    /// end events are written alone, because the reserve may have room for them.
    mutating func write(_ entries: [JournalEntry]) -> [Input] {
        guard let last = entries.last else {
            return []
        }
        do throws(JournalError) {
            try write(entries.map(JournalChange.init))
            return [.persisted(upTo: last.number, fault: reserveFault)]
        } catch {
            let ends = entries.filter(\.mayUseReserve)
            guard !ends.isEmpty, ends.count < entries.count,
                (try? write(ends.map(JournalChange.init))) != nil
            else {
                return [.notPersisted(upTo: last.number, error.description)]
            }
            return answers(to: entries, error)
        }
    }

    /// One answer for each run of entries with the same result.
    private func answers(to entries: [JournalEntry], _ error: JournalError) -> [Input] {
        var answers: [Input] = []
        for (index, entry) in entries.enumerated() {
            let next = index + 1
            guard next == entries.count || entries[next].mayUseReserve != entry.mayUseReserve
            else {
                continue
            }
            answers.append(
                entry.mayUseReserve
                    ? .persisted(upTo: entry.number, fault: reserveFault ?? error.description)
                    : .notPersisted(upTo: entry.number, error.description))
        }
        return answers
    }
}

extension JournalChange {
    fileprivate init(_ entry: JournalEntry) {
        self.init(
            key: entry.key, body: entry.body, isSynced: entry.isSynced,
            mayUseReserve: entry.mayUseReserve)
    }
}
