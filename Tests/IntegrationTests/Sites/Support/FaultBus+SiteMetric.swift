// SPDX-License-Identifier: Apache-2.0

import Testing

extension FaultBus {
    /// Waits until a metric of the site of this bus is above zero, and returns it. The site tells its metrics
    /// once a second.
    ///
    /// - Parameter name: The name without `cascade_site_`, with its labels.
    func siteMetric(_ name: String) throws -> Int {
        var value: Int?
        try Patience.until("the metric '\(name)'") {
            let reply = try RawStream(directory + "/metrics.sock")
            reply.write(Array("GET /metrics HTTP/1.1\r\n\r\n".utf8))
            let text = String(decoding: try reply.readToEnd(), as: UTF8.self)
            value = text.split(separator: "\n").first { $0.hasPrefix("cascade_site_\(name) ") }
                .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            return (value ?? 0) > 0
        }
        return try #require(value)
    }
}
