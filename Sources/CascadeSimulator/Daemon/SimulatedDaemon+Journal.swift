// SPDX-License-Identifier: Apache-2.0

import CascadeBroker

/// Durable events: submitted entries are written later, a part of them at a time.
extension SimulatedDaemon {
    func persist(_ entry: JournalEntry) {
        guard simulation.plan.durablePercent > 0 else {
            simulation.find(Finding("journal", "an entry for a journal that does not exist"))
            return
        }
        let wasBusy = journal.isBusy
        journal.submit(entry)
        if !wasBusy {
            planWrite()
        }
    }

    private func planWrite() {
        simulation.plan(
            .writeJournal(incarnation: incarnation),
            afterMicroseconds: simulation.random.within(simulation.plan.writing))
    }

    func writeJournal(of incarnation: Int) {
        guard incarnation == self.incarnation, journal.isBusy, state != .down else {
            return
        }
        guard state == .running else {
            planWrite()
            return
        }
        if simulation.isFaulty, simulation.random.isLucky(2) {
            simulation.count(.journalFault)
            handle(.notPersisted(upTo: journal.fail(), "the disk is broken"))
        } else {
            handle(.persisted(upTo: journal.write(simulation.random.within(1...8))))
        }
        if journal.isBusy, state == .running {
            planWrite()
        }
    }
}
