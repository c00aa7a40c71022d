// SPDX-License-Identifier: Apache-2.0

import CascadeWire

/// An administrator's changes, of the tree or of the bus's records.
extension Broker {
    mutating func administer(_ administer: Administer, by peer: PeerID) throws(WireError) {
        try check(administer.change, by: peer)
        switch administer.change {
        case .move(let path, let destination):
            try move(path, under: destination, by: peer)
            done(administer.request, peer)
        case .drain(let path, let withSubtree):
            try drain(path, withSubtree: withSubtree, administer.request, by: peer)
        case .detach(let path, let withSubtree):
            try detach(path, withSubtree: withSubtree)
            done(administer.request, peer)
        case .clearRetained(let name, let path):
            try clearRetained(name, of: path)
            done(administer.request, peer)
        case .clearUndelivered:
            traffic.undelivered.removeAll(&accounts)
            done(administer.request, peer)
        }
        var monitorEvent = MonitorEvent(of: administer.change)
        monitorEvent.processID = peers[peer].credentials.processID
        recordMonitorEvent(monitorEvent)
    }
}

extension MonitorEvent {
    /// Creates the monitor event for an administrative change.
    fileprivate init(of change: Administer.Change) {
        switch change {
        case .move(let path, let destination):
            self.init(.move, path: path)
            message = "under '\(destination)'"
            mentions = .places([destination])
        case .drain(let path, _): self.init(.drain, path: path)
        case .detach(let path, _): self.init(.detach, path: path)
        case .clearRetained(let name, let path):
            self.init(.clearRetained, path: path, name: name)
        case .clearUndelivered: self.init(.clearUndelivered)
        }
    }
}
