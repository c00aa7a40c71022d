// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether the tests run with `CASCADE_MEASURE`, which is for an idle machine: then they print durations, and
/// their outages and floods are those of which figures are told. Otherwise they are as small as shows the
/// same.
enum Measuring {
    static let isOn = getenv("CASCADE_MEASURE") != nil
}
