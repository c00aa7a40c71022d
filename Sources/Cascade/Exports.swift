// SPDX-License-Identifier: Apache-2.0

/// Paths, names, IDs and outcomes are the same for a worker as on the wire.
@_exported public import CascadeWire
