// SPDX-License-Identifier: Apache-2.0

/// A bus of a test's own.
struct BusFixture {}
