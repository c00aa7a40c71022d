// SPDX-License-Identifier: Apache-2.0

import Cascade

struct PriceOf: Request {
    typealias Reply = Int
    var item = 7
}
