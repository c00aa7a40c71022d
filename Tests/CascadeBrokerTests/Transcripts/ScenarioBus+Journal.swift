// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSimulator
import CascadeWire

/// The journal of a scenario: it writes on command and survives the daemon.
extension ScenarioBus {
    /// `persisted`: all entries are on disk. `persisted 2`: the first two entries are.
    /// `persisted-on-reserve no room`: all are, and no new event can be written.
    /// `not-persisted no room`: none is.
    /// `restart [no room]`: the daemon ends, and another one begins on the same journal.
    /// `received anna 1`, `received bella anna#1`: confirms an outcome. `recall anna 1`.
    mutating func carryOutDurable(_ command: ScenarioCommand) throws(Unusable) {
        switch command.verb {
        case "persisted":
            let count = command.words.first.flatMap { Int($0) } ?? unwritten.count
            let last = unwritten.prefix(count).last?.number ?? 0
            write(count)
            handle(.persisted(upTo: last))
        case "persisted-on-reserve":
            let last = unwritten.last?.number ?? 0
            write(unwritten.count)
            handle(.persisted(upTo: last, fault: sentence(command)))
        case "not-persisted":
            let last = unwritten.last?.number ?? 0
            unwritten = []
            handle(.notPersisted(upTo: last, sentence(command)))
        case "restart":
            unwritten = []
            box = nil
            peers = []
            payloads = PayloadWatch()
            labelled = []
            let fault = sentence(command)
            handle(.recovered(journal.map(\.body), fault: fault.isEmpty ? nil : fault))
        case "received":
            let place = try place(named: command.word(0))
            let word = try command.word(1)
            let received =
                word.contains("#")
                ? Received(id: try eventID(word)) : Received(sequence: UInt64(word) ?? 0)
            var fields = FieldWriter()
            received.write(to: &fields)
            receive(received.header, fields: fields, from: place)
        default:
            let place = try place(named: command.word(0))
            receive(Header(.recall, sequence: UInt64(try command.word(1)) ?? 0), from: place)
        }
    }

    private func sentence(_ command: ScenarioCommand) -> String {
        command.words.joined(separator: " ")
    }

    private mutating func write(_ count: Int) {
        for entry in unwritten.prefix(count) {
            journal.removeAll { $0.key == entry.key }
            if let body = entry.body {
                journal.append((entry.key, body))
            }
        }
        unwritten.removeFirst(min(count, unwritten.count))
    }

    /// The content of an entry for a reader.
    func words(_ entry: JournalEntry) -> String {
        let sequence = entry.key.sequence & ~(1 << 63)
        let id = EventID(session: entry.key.session, sequence: sequence)
        let key = named(id.description) + (sequence == entry.key.sequence ? "" : ", proven")
        guard let body = entry.body else {
            return "nothing of \(key)"
        }
        guard let header = try? Header(parsing: body) else {
            return "the bus's age"
        }
        return "\(header.command) of \(key)" + (entry.isSynced ? "" : ", not synced")
    }
}
