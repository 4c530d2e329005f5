import CommandLineKit
import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusText
import SystemKit

/// `focusd rekey`: makes the server's next key and announces it, unless a key is announced already. Lists the
/// devices that weren't told of that key.
struct RekeyCommand {
    let json: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let present = try folder.loadIdentity().keyHash
        let store = try folder.openStore(.writing)
        let now = ServerClock.wall()
        let isNew = try store.read { try ServerKeyChange($0, present: present, now: now) } == nil
        if isNew {
            let next = try IdentityFile(path: folder.nextIdentity).loadOrCreate().keyHash
            try store.write { store in
                try store.announceNextKey(next, now: now)
                try AuditLog(folder).write("key-announced", [("key", next.hexadecimal)])
            }
        }
        guard let change = try store.read({ try ServerKeyChange($0, present: present, now: now) }) else {
            throw CommandFailure("Somebody finished or cancelled the change of the key meanwhile.", .notNow)
        }
        if json { return try console.data("\(RekeyCommand.document(change, present))\n") }
        let informed = change.informedDevices.count
        try console.data(
            """
            The key is \(present.hexadecimal).
            The next one is \(change.next.hexadecimal), announced since \(InstantText.name(change.since)).
            Devices that know it: \(informed) of \(informed + change.uninformedDevices.count).

            """)
        for device in change.uninformedDevices { try console.data("Not yet: \(device.line)\n") }
        if isNew {
            console.messages("Laptops that are connected to the running server learn it within a minute.\n")
        }
        console.messages(
            change.uninformedDevices.isEmpty
                ? "This changes the key: \(folder.command("rekey finish"))\n"
                : "Once all know it, this changes the key: \(folder.command("rekey finish"))\n")
    }

    private static func document(_ change: ServerKeyChange, _ present: Digest) -> JSON {
        func ids(_ devices: [StoredDevice]) -> JSON { .array(devices.map { .string($0.key.hexadecimal) }) }
        return .object([
            JSON.Member("key", .string(present.hexadecimal)),
            JSON.Member("nextKey", .string(change.next.hexadecimal)),
            JSON.Member("since", .instant(change.since)),
            JSON.Member("told", ids(change.informedDevices)),
            JSON.Member("untold", ids(change.uninformedDevices)),
            JSON.Member("olderInvites", .integer(change.olderInvites)),
        ])
    }
}

/// `focusd rekey finish`: makes the announced key the server's key.
///
/// A server that runs in the folder shows the new key within a second. A server elsewhere that shares the
/// store would keep the former key and announce no other, so laptops would forget the new one. So no such
/// server may run.
struct FinishRekeyCommand {
    /// Whether to skip the confirmation.
    let isSure: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let present = try folder.loadIdentity().keyHash
        let store = try folder.openStore(.writing)
        let now = ServerClock.wall()
        guard let change = try store.read({ try ServerKeyChange($0, present: present, now: now) }) else {
            throw try store.read { try nothingToFinish(present, folder, $0) }
        }
        guard try IdentityFile(path: folder.nextIdentity).load()?.keyHash == change.next else {
            throw CommandFailure(
                "\(folder.nextIdentity) isn't the announced key. This starts over: "
                    + "\(folder.command("rekey cancel")), then \(folder.command("rekey"))")
        }
        try store.read { try requireAlone(folder, $0) }
        guard try isSure || isConfirmed(change, console) else {
            throw CommandFailure("The key stays as it is.", .notNow)
        }
        try store.write { store in
            guard try store.announcedKey()?.key == change.next else {
                throw CommandFailure(
                    "Somebody finished or cancelled the change of the key meanwhile.", .notNow)
            }
            try requireAlone(folder, store)
            // Ends the announcement.
            try store.announceNextKey(nil, now: now)
            try AuditLog(folder).write(
                "key-changed",
                [
                    ("from", present.hexadecimal), ("to", change.next.hexadecimal),
                    ("untold", "\(change.uninformedDevices.count)"),
                ])
            // If the process ends between this rename and the commit, the store still announces the key that
            // the server then has. That has no effect.
            guard rename(folder.nextIdentity, folder.identity) == 0 else {
                throw CommandFailure(errno: "\(folder.identity) can't be replaced")
            }
            try FolderEntries(of: folder.identity).makeDurable()
        }
        console.messages(
            """
            The server's key is \(change.next.hexadecimal) from now on. A running server uses it within a second.
            Make a new backup: a server restored from an older one would have the old key, which laptops no longer \
            take.

            """)
        guard !folder.place.isInFolder else { return }
        console.messages(
            "Where other servers share the database, copy \(folder.identity) to them before they are started again.\n"
        )
    }

    /// Throws if another server runs that shares the store.
    private func requireAlone(_ folder: DataFolder, _ store: any ServerSnapshot) throws {
        let others = try store.servers().filter { $0 != folder.serverPlace }
        guard others.isEmpty else {
            throw CommandFailure(
                "Other servers run, which would go on with the old key: \(others.joined(separator: ", ")). Stop them "
                    + "first, and give them the new \(folder.identity) before they are started again. A server that "
                    + "was killed counts as running for half a minute.", .notNow)
        }
    }

    /// Returns the failure that says why there is no change to finish.
    private func nothingToFinish(
        _ present: Digest, _ folder: DataFolder, _ store: any ServerSnapshot
    ) throws -> CommandFailure {
        if try store.announcedKey()?.key == present {
            return CommandFailure("The server has the announced key already.", .notNow)
        }
        return CommandFailure(
            "No other key is announced. This announces one: \(folder.command("rekey"))", .notNow)
    }

    /// Asks for a confirmation if devices or invites don't know the next key. Returns whether to change over.
    private func isConfirmed(_ change: ServerKeyChange, _ console: FocusdProgram.Console) throws -> Bool {
        guard !change.uninformedDevices.isEmpty || change.olderInvites > 0 else { return true }
        if !change.uninformedDevices.isEmpty {
            console.messages(
                "These devices don't know the next key. Each would have to join again with a new invite, and would "
                    + "lose nothing:\n" + change.uninformedDevices.map { "  \($0.line)\n" }.joined())
        }
        if change.olderInvites > 0 {
            console.messages(
                "Open invites that name only the present key: \(change.olderInvites). They would stop working.\n"
            )
        }
        guard let answer = console.ask("Change the key now? [y/N]") else {
            throw CommandFailure(
                "There is no terminal to ask on. Wait, or use --yes if you are sure.", .usage)
        }
        return ["y", "yes"].contains(answer.lowercased())
    }
}

/// `focusd rekey cancel`: withdraws the announced key; the server keeps its own.
struct CancelRekeyCommand {
    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        try store.write { store in
            guard let announced = try store.announcedKey() else {
                throw CommandFailure("No other key is announced.", .notNow)
            }
            // Ends the announcement, for which the time doesn't matter.
            try store.announceNextKey(nil, now: .zero)
            try AuditLog(folder).write("key-cancelled", [("key", announced.key.hexadecimal)])
        }
        guard unlink(folder.nextIdentity) == 0 || errno == ENOENT else {
            throw CommandFailure(errno: "\(folder.nextIdentity) can't be removed")
        }
        console.messages("The server keeps its key. Laptops forget the other one when they connect.\n")
    }
}

extension StoredDevice {
    /// The device as a line of an operator's list.
    fileprivate var line: String {
        "\(key.hexadecimal.prefix(16))  group \(group.short)  last seen \(InstantText.text(lastSeen))"
    }
}
