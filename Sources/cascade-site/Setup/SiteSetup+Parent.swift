// SPDX-License-Identifier: Apache-2.0

import CascadeSite
import CascadeWire
import NATS

/// The site above this one.
extension SiteSetup {
    /// Takes an invitation: the parent, the key and the trust. Nothing is written if one of them is
    /// refused.
    ///
    /// - Parameter replacing: Whether another parent may be given up for this one.
    func join(_ invitation: Invitation, replacing: Bool, now: Timestamp) throws {
        guard now < invitation.expiry else {
            throw Stop(
                .badData,
                "the invitation expired at \(invitation.expiry), and it is \(now): check this machine's clock, "
                    + "or run 'cascade-site remove \(invitation.site)' and 'cascade-site add' again at "
                    + "'\(invitation.parent)'")
        }
        try folder.locked {
            let present = try present(naming: invitation.site)
            if let configuration = present?.configuration {
                try check(invitation, against: configuration, replacing: replacing)
            }
            let key = try key(for: invitation)
            var text = present?.text ?? SiteConfigurationText(Self.heading)
            text.set("name", to: invitation.site.description)
            text.set("realm", to: invitation.realm.description)
            text.removeSection("parent")
            text.set("parent.name", to: invitation.parent.description)
            text.set("parent.server", to: invitation.server.description)
            text.set("parent.key", to: folder.parentKey)
            text.set("parent.trust", to: folder.parentTrust)
            var changes = FileChanges()
            changes.writeSecret(folder.parentKey, key.seed + "\n")
            changes.write(folder.parentTrust, invitation.trust)
            changes.write(folder.configuration, text.text)
            try changes.apply()
        }
    }

    private func check(
        _ invitation: Invitation, against configuration: SiteConfiguration, replacing: Bool
    ) throws(Stop) {
        guard configuration.name == invitation.site else {
            throw Stop(
                .badData,
                "the invitation is for the site '\(invitation.site)', and this site is "
                    + "'\(configuration.name)', says '\(folder.configuration)'")
        }
        // A site without other sites takes the realm of its first parent.
        let isAlone = configuration.parent == nil && configuration.server == nil
        guard isAlone || configuration.realm == invitation.realm else {
            throw Stop(
                .badData,
                "the invitation is for the realm '\(invitation.realm)', and this site is in the realm "
                    + "'\(configuration.realm)'")
        }
        guard configuration.children[invitation.parent] == nil else {
            throw Stop(
                .denied,
                "'\(invitation.parent)' stands below this site, and cannot be its parent too")
        }
        if let parent = configuration.parent, !replacing {
            throw Stop(
                .denied,
                "this site stands below '\(parent.name)' already; 'cascade-site join --replace' "
                    + (parent.name == invitation.parent
                        ? "takes the new invitation"
                        : "gives that parent up for '\(invitation.parent)'"))
        }
    }

    /// Returns the key of the invitation, or the one that this site has made for it.
    private func key(for invitation: Invitation) throws(Stop) -> UserKey {
        if let key = invitation.key {
            return key
        }
        guard let key = try key(in: folder.parentKey) else {
            throw Stop(
                .badData,
                "the invitation contains no key, and this machine has none: 'cascade-site key' makes one and "
                    + "prints its public part for 'cascade-site add --key'")
        }
        guard key.publicKey == invitation.publicKey else {
            throw Stop(
                .badData,
                "the invitation is for the key \(invitation.publicKey), and the key of this machine is "
                    + "\(key.publicKey); add this site with that key at '\(invitation.parent)'")
        }
        return key
    }
}
