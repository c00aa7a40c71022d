// SPDX-License-Identifier: Apache-2.0

import CascadeSimulator
import Testing

@Suite struct SimulationTests {}
