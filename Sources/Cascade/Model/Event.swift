// SPDX-License-Identifier: Apache-2.0

/// A value that moves up the tree as an event, or down it as a publication.
public protocol Event: NamedValue {}
