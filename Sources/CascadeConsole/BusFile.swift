// SPDX-License-Identifier: Apache-2.0

import Cascade
import CascadeJSON
import CascadeService

/// Why a file of buses cannot be used, as a sentence.
package struct BusFileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ConsoleOptions.Bus {
    /// The limit of the size of a file of buses, in bytes.
    static let fileByteCountMax = 262_144

    /// Reads the buses in a file. Throws ``BusFileError`` if it cannot be read or is none of buses, or a file
    /// of keys cannot be used.
    package static func list(inFile path: String) throws -> [Self] {
        let text: String
        do {
            text = try TextFile.read(path, byteCountMax: fileByteCountMax)
        } catch {
            throw BusFileError("cannot read '\(path)': \(error.reason)")
        }
        do {
            let buses = try list(in: text)
            for bus in buses {
                try bus.checkKeys()
            }
            return buses
        } catch {
            throw BusFileError("\(path): \(error.description)")
        }
    }

    /// Throws ``BusFileError`` if the keys of the bus cannot be used.
    private func checkKeys() throws(BusFileError) {
        guard let keyFile, let trust else {
            return
        }
        do {
            _ = try BusKeys(serverKey: trust, file: keyFile)
        } catch {
            throw BusFileError("the keys of '\(name)' cannot be used: \(error)")
        }
    }

    /// Reads `{"buses": [{"name", "bus", "key", "trust"}]}`. A bus on another machine has `key`, the file of
    /// `cascadectl keygen` with the console's key pair, and `trust`, the public key of the bus; without them
    /// the keys are those of the environment. Throws ``BusFileError``, which names the bus by its position.
    static func list(in text: String) throws(BusFileError) -> [Self] {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: text, depthMax: 8)
        } catch {
            throw BusFileError("it is not JSON: \(error)")
        }
        guard case .array(let entries)? = json["buses"], json.members.count == 1 else {
            throw BusFileError(
                "its only member is 'buses', a list of objects with 'name' and 'bus'")
        }
        guard (1...ConsoleOptions.busCountMax).contains(entries.count) else {
            throw BusFileError(
                "it has \(entries.count) buses, and may have 1 to \(ConsoleOptions.busCountMax)")
        }
        var buses: [Self] = []
        for (index, entry) in entries.enumerated() {
            let bus = try Self(entry, position: index + 1)
            guard !buses.contains(where: { $0.name == bus.name }) else {
                throw BusFileError("two buses are named '\(bus.name)': rename one")
            }
            buses.append(bus)
        }
        return buses
    }

    private init(_ json: JSONValue, position: Int) throws(BusFileError) {
        let place = "bus \(position) of 'buses'"
        let known = ["name", "bus", "key", "trust"]
        for member in json.members {
            guard known.contains(member.key) else {
                throw BusFileError(
                    "\(place) has the member '\(member.key)'; it may have \(known.joined(separator: ", "))"
                )
            }
            guard let text = member.value.string, !text.isEmpty else {
                throw BusFileError("\(place): '\(member.key)' is a text in quotation marks")
            }
        }
        guard let name = json["name"]?.string, let endpoint = json["bus"]?.string else {
            throw BusFileError("\(place) lacks 'name' or 'bus'")
        }
        guard endpoint.contains("://"), let bus = Self("\(name)=\(endpoint)"), bus.name == name
        else {
            throw BusFileError(
                "\(place): '\(name)' and '\(endpoint)' are not a name of letters, digits, '-', '_' and "
                    + "'.', and an endpoint")
        }
        self = bus
        keyFile = json["key"]?.string
        trust = json["trust"]?.string
        guard (keyFile == nil) == (trust == nil) else {
            throw BusFileError(
                "\(place): 'key', the file with the console's keys, and 'trust', the public key of the "
                    + "bus, require each other")
        }
    }
}
