// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CascadeSite
import CascadeWire
import NATS

/// The names and addresses in arguments. Their errors say what is allowed.
enum ArgumentValue {
    static func name(_ text: String) throws -> SiteName {
        do throws(SiteNameError) {
            return try SiteName(text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    static func path(_ text: String) throws -> NodePath {
        do throws(NameError) {
            return try NodePath(text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    static func address(_ text: String) throws -> ServerAddress {
        guard let address = ServerAddress(text) else {
            throw ValidationError(
                "'\(text.escapedForDisplay())' is not an address: HOST or HOST:PORT is expected, with a "
                    + "port from 1 to 65535")
        }
        return address
    }
}
