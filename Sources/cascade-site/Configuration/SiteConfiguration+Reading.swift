// SPDX-License-Identifier: Apache-2.0

package import CascadeService

/// The faults of a configuration file, in the order of its lines.
package struct SiteConfigurationError: Error, CustomStringConvertible {
    package let faults: [SettingFault]

    package var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}

extension SiteConfiguration {
    /// The file that is read if no other one is named.
    package static let standardFile = "/etc/cascade/site.yaml"
    private static let fileByteCountMax = 1 << 20

    /// Reads a file. Throws ``SiteConfigurationError`` with all faults.
    package init(file: String) throws(SiteConfigurationError) {
        let text: String
        do throws(TextFileError) {
            text = try TextFile.read(file, byteCountMax: Self.fileByteCountMax)
        } catch {
            throw SiteConfigurationError(faults: [SettingFault(reading: file, error)])
        }
        try self.init(text: text, file: file)
    }

    /// Reads the text of a file; faults name it by `file`. Throws ``SiteConfigurationError`` with all faults.
    package init(text: String, file: String) throws(SiteConfigurationError) {
        var reader = SiteSettings(text, file: file)
        let configuration = reader.configuration()
        guard let configuration, reader.faults.isEmpty else {
            throw SiteConfigurationError(faults: reader.faults)
        }
        self = configuration
    }
}
