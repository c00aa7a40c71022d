// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadePolicy
import ZeroMQ

/// Gives the broker's shell its turns on the thread that owns the sockets.
final class BrokerLoop: SocketThreadDriver {
    private var shell: BrokerShell
    /// Who waits until nothing is under way any more.
    private var idleWaiter: CheckedContinuation<Void, Never>?

    init(_ shell: consuming BrokerShell) {
        self.shell = shell
    }

    var pollItems: [PollItem] {
        shell.pollItems
    }

    var wakesOnActivity: Bool {
        shell.outbox.isBlocked
    }

    func turn() -> SocketThread.Rest {
        let rest = shell.turn()
        if idleWaiter != nil, shell.isIdle {
            stopWaiting()
        }
        return rest
    }

    /// The journal has been read.
    func recover(_ report: JournalReport) {
        shell.recover(report)
    }

    /// The files of rules have been read, or could not be.
    func load(_ files: Result<[RuleModelFile], RuleFilesError>) {
        shell.load(files)
    }

    /// What was read again is wrong.
    func refuse(_ kind: DaemonFileKind, _ sentence: String) {
        shell.refuse(kind, sentence)
    }

    func reconfigure(_ configuration: BrokerConfiguration) {
        shell.reconfigure(configuration)
    }

    func metrics() -> String {
        shell.metrics()
    }

    /// The policy has been read.
    func load(_ policy: Policy) {
        shell.load(policy)
    }

    /// Expels the peers whose keys are not among these any more.
    func keep(_ keys: AuthorizedKeys) {
        shell.keep(keys)
    }

    /// Takes no new events from now on; `waiter` is resumed when those under way have ended.
    func stop(resumingWhenIdle waiter: CheckedContinuation<Void, Never>) {
        idleWaiter = waiter
        shell.stop()
    }

    /// Resumes the waiter, even if events are still under way.
    func stopWaiting() {
        idleWaiter?.resume()
        idleWaiter = nil
    }

    /// Tells every peer that the daemon ends.
    func dismissAll() {
        shell.dismissAll()
    }
}
