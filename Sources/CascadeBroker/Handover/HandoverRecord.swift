// SPDX-License-Identifier: Apache-2.0

/// The kinds of records in an encoded ``Handover``. A reader passes over those that it does not
/// know, and over what stands behind the parts that it knows: so daemons of other releases, older
/// or newer, read one another.
enum HandoverRecord: UInt8 {
    case ranks = 1
    case place = 2
    case value = 3
    case undelivered = 4
}
