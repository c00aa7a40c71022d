// SPDX-License-Identifier: Apache-2.0

import CascadeBroker
import CascadeSite
import CascadeWire

/// Lost links, and processes that end.
extension OracleWorld {
    /// Cuts the link of a site to its parent, with all that is on it.
    func cutLink(_ site: Int) {
        unreachable.insert(site)
        closeLink(site)
        perform(bridges[site].lostLink(at: now), of: site)
        run()
    }

    /// Kills the bridge of a site, and starts another one.
    func restartBridge(_ site: Int) {
        closeLink(site)
        let peer = bridges[site].homePeer
        destinations[site][peer] = nil
        queue.removeAll { next in
            switch next.destination {
            case .bridgeHome(let other): other == site
            case .bus(let bus, let other): bus == site && other == peer
            default: false
            }
        }
        buses[site].lose(peer)
        bridges[site] = OracleBridge(tree, site, below: parent(of: site), number: 1) { _ in }
        connectHome(site)
        run()
    }

    /// Kills the daemon of a site, and starts another one on its journal after 100 ms. `body` runs meanwhile.
    func restartBus(_ site: Int, _ body: () -> Void = {}) {
        let lost = destinations[site]
        destinations[site] = [:]
        queue.removeAll { next in
            if case .bus(site, _) = next.destination { true } else { false }
        }
        for worker in workers where worker.site == site {
            worker.disconnected()
        }
        let effects = bridges[site].lostHome(at: now).filter { effect in
            if case .connectHome = effect { false } else { true }
        }
        perform(effects, of: site)
        for case .bridgeAbove(let child) in lost.values {
            bridges[child].abovePeer = nil
            perform(bridges[child].lostLink(at: now), of: child)
        }
        body()
        now += .milliseconds(100)
        buses[site].restart(at: now)
        for index in workers.indices where workers[index].site == site {
            let peer = buses[site].connect()
            destinations[site][peer] = .worker(index)
            workers[index].peer = peer
            send(workers[index].resume(), of: index)
        }
        connectHome(site)
        run()
    }

    /// The site leaves both buses, which does not end before `releaseHeld` if an answer is held.
    func leave(_ site: Int) {
        perform(bridges[site].leave(at: now), of: site)
        run()
    }

    func mendLink(_ site: Int) {
        unreachable.remove(site)
    }
}
