// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Cascade
import PrintShopEvents

@main
struct PrintShopDisplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-shop-display",
        abstract: "Shows the shop's announcements and door bells.")

    @Argument(help: "Name of the display and its node.")
    var name: String

    @Option(help: "Path of the parent node.", transform: NodePath.init(validating:))
    var below: NodePath = "/shop"

    @Option(help: "File to which the display writes.")
    var screen = "/dev/stdout"

    func run() async {
        let screen = Ledger(screen)
        await WorkerProcess(mount: below) { Display(name: name, screen: screen) }.main()
    }
}

/// A display, which shows announcements and door bells.
struct Display: NodeConvertible {
    let name: String
    let screen: Ledger

    @Environment(\.displayPrefix) var displayPrefix
    @Environment(\.showsDoorBell) var showsDoorBell

    var node: Node {
        Node(name)
            .subscribe(to: Announcement.self) { try screen.append(displayPrefix + $0.text) }
            .subscribe(to: DoorBell.self) { bell in
                if showsDoorBell {
                    try screen.append("\(displayPrefix)at the \(bell.door) door: ring!")
                }
            }
    }
}
