// SPDX-License-Identifier: Apache-2.0

/// A value that moves up the tree as an event, or down as a publication.
public protocol Event: NamedValue {}
