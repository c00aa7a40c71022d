// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

extension OracleWorld {
    /// Asks the bus of a worker, and returns the document of the answer; `nil` if there is none.
    func document(_ subject: Query.Subject, of worker: Int) -> JSONValue? {
        let request = ask({ Query(request: $0, subject) }, of: worker)
        let answer = workers[worker].answers[request].flatMap {
            try? DocumentAnswer(parsing: $0)
        }
        return answer.flatMap { try? JSONValue(parsing: $0.document) }
    }
}
