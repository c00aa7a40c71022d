// SPDX-License-Identifier: Apache-2.0

/// An error that responders above can receive by its type, with all its members.
///
///     struct OutOfStock: ReportableError {
///         let item: Int
///     }
///
/// Any other error can be thrown and reported as well; then only its name and message cross the
/// bus.
public protocol ReportableError: NamedValue, Error {}
