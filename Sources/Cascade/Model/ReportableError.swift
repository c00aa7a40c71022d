// SPDX-License-Identifier: Apache-2.0

/// An error that responders above can take by its type, with everything it says.
///
///     struct OutOfStock: ReportableError {
///         let item: Int
///     }
///
/// Any other error can be thrown and reported as well; then its name and words cross the bus.
public protocol ReportableError: NamedValue, Error {}
