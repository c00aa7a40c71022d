// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeJournal
import CascadePolicy
import ZeroMQ

/// Runs the broker's shell on the thread that owns the sockets.
final class BrokerLoop: SocketThreadDriver {
    private var shell: BrokerShell
    /// Resumed when no message is being handled; `nil` while no caller waits.
    private var idleWaiter: CheckedContinuation<Void, Never>?

    init(_ shell: consuming BrokerShell) {
        self.shell = shell
    }

    var pollItems: [PollItem] {
        shell.pollItems
    }

    var wakesOnActivity: Bool {
        shell.transports.wakesOnActivity
    }

    func sleep(milliseconds: Int, wakeup: Int32) -> SocketThread.Wake? {
        shell.sleep(milliseconds: milliseconds, wakeup: wakeup)
    }

    func turn() -> SocketThread.Rest {
        let rest = shell.turn()
        if idleWaiter != nil, shell.isIdle {
            stopWaiting()
        }
        return rest
    }

    /// Passes the contents of the journal to the broker, once, when the daemon starts.
    func recover(_ report: JournalReport) {
        shell.recover(report)
    }

    /// Replaces the rules, or reports why the files could not be read.
    func load(_ files: Result<[RuleModelFile], GuardedFileError>) {
        shell.load(files)
    }

    /// Reports that files of this kind cannot be used; the configuration before stays in force.
    func refuse(_ kind: DaemonFileKind, _ sentence: String) {
        shell.refuse(kind, sentence)
    }

    func reconfigure(_ configuration: BrokerConfiguration) {
        shell.reconfigure(configuration)
    }

    func metrics() -> String {
        shell.metrics()
    }

    /// Replaces the policy.
    func load(_ policy: Policy) {
        shell.load(policy)
    }

    /// Ends the sessions of peers whose key is not in `keys`.
    func endSessions(withoutKeyIn keys: AuthorizedKeys) {
        shell.endSessions(withoutKeyIn: keys)
    }

    /// Accepts no new messages from now on; `waiter` is resumed when those being handled have
    /// ended.
    func stop(resumingWhenIdle waiter: CheckedContinuation<Void, Never>) {
        idleWaiter = waiter
        shell.stop()
    }

    /// Resumes the waiter of ``stop(resumingWhenIdle:)``, even if messages are still being handled.
    func stopWaiting() {
        idleWaiter?.resume()
        idleWaiter = nil
    }

    /// Dismisses every peer: the daemon ends.
    func dismissAll() {
        shell.dismissAll()
    }

    /// Closes all connections once what was sent is written, for at most half a second.
    func closeAll() {
        shell.closeAll()
    }
}
