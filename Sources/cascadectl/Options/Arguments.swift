// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Cascade
public import CascadeInspection

// MARK: - Names and IDs

extension NodePath {
    /// Parses an argument, for use as `transform`. An invalid path is a usage error that quotes it.
    static func argument(_ text: String) throws -> NodePath {
        do throws(NameError) {
            return try NodePath(text)
        } catch {
            let absolute = "/" + text
            let isRelative = !text.hasPrefix("/") && (try? NodePath(absolute)) != nil
            throw ValidationError(error.description + (isRelative ? "; write \(absolute)" : ""))
        }
    }
}

extension EventName {
    /// Parses an argument, for use as `transform`. An invalid name is a usage error that quotes it.
    static func argument(_ text: String) throws -> EventName {
        do throws(NameError) {
            return try EventName(text)
        } catch {
            let isPath = text.hasPrefix("/") && (try? NodePath(text)) != nil
            throw ValidationError(
                isPath
                    ? "'\(text)' is a path where a name is expected; write a path behind --from or --at"
                    : error.description)
        }
    }
}

extension EventID {
    /// Parses an argument, for use as `transform`. An invalid ID is a usage error that quotes it.
    static func argument(_ text: String) throws -> EventID {
        guard let id = EventID(text) else {
            throw ValidationError(
                "'\(text.escapedForDisplay())' is not the ID of an event: 32 hexadecimal digits, a dash "
                    + "and a number, as 'trigger' and 'monitor' print it")
        }
        return id
    }
}

extension TraceParent {
    /// Parses an argument, for use as `transform`. The error quotes an invalid one.
    static func argument(_ text: String) throws -> TraceParent {
        guard let parent = TraceParent(text) else {
            throw ValidationError(
                "'\(text.escapedForDisplay())' is not a traceparent: 00-TRACE-SPAN-FLAGS in 32, 16 "
                    + "and 2 hexadecimal digits")
        }
        return parent
    }
}

extension TimeSpan {
    /// Parses an argument, for use as `transform`. The error quotes an invalid one, and names the
    /// units of one without a unit.
    static func argument(_ text: String) throws -> TimeSpan {
        guard let time = TimeSpan(text) else {
            let shown = text.escapedForDisplay()
            throw ValidationError(
                Double(text) == nil
                    ? "'\(shown)' is not a time: write 250ms, 5s, 2m or 1h"
                    : "'\(shown)' has no unit: write \(shown)s for seconds, or \(shown)ms, "
                        + "\(shown)m or \(shown)h")
        }
        return time
    }
}

// MARK: - Choices

/// A set of values that arguments and documents write as the same words.
public protocol NamedArgument: NamedCase, ExpressibleByArgument {}

// The argument parser would read the raw values, which are numbers of the protocol.
extension NamedArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(name: argument)
    }

    public static var allValueStrings: [String] {
        allCases.map(\.name)
    }
}

extension Lane: NamedArgument {}
extension NodeState: NamedArgument {}
extension PreferenceReducer: NamedCase {}
extension SafetyLevel: NamedArgument {}

extension PublishingDestination: NamedArgument {
    public static var allValueDescriptions: [String: String] {
        [
            last.name: "One of those with the greatest level: the one activated most recently.",
            lastLevel.name: "All with the greatest level.",
            firstLevel.name: "All without a subscriber above them.",
            all.name: "Every subscriber.",
        ]
    }
}
