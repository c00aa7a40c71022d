// SPDX-License-Identifier: Apache-2.0

import CascadeJSON
import CascadeWire

/// A finding of the doctor.
struct Diagnosis: Sendable, Equatable {
    enum State: String, Sendable {
        case good = "ok"
        /// Works now, but may fail under some conditions.
        case doubtful = "warning"
        case bad = "problem"
        /// Could not be determined.
        case unknown
    }

    let name: String
    let state: State
    /// The observation and, if there is a problem, the remedy.
    let message: String

    init(_ name: String, _ state: State, _ message: String) {
        self.name = name
        self.state = state
        self.message = message
    }
}

/// The findings about the installation.
struct DoctorDocument: Document {
    let diagnoses: [Diagnosis]

    var json: JSONValue {
        .document(
            "doctor",
            [
                "checks": .array(
                    diagnoses.map { diagnosis in
                        .members([
                            "name": .string(diagnosis.name),
                            "state": .string(diagnosis.state.rawValue),
                            "message": .string(diagnosis.message),
                        ])
                    })
            ])
    }

    /// The exit status. A check whose result is unknown is not a finding.
    var status: ExitStatus {
        diagnoses.contains { $0.state == .bad || $0.state == .doubtful } ? .negative : .done
    }

    func text(_ style: Style) -> String {
        var table = Table(["CHECK", "STATE", "MESSAGE"], whole: [0, 1], wrapping: [2])
        for diagnosis in diagnoses {
            table.append([
                Cell(diagnosis.name, .bold),
                Cell(diagnosis.state.rawValue, diagnosis.state.colour),
                Cell(diagnosis.message),
            ])
        }
        return table.text(style)
    }
}

extension Diagnosis.State {
    fileprivate var colour: Style.Colour {
        switch self {
        case .good: .green
        case .doubtful: .yellow
        case .bad: .red
        case .unknown: .dim
        }
    }
}
