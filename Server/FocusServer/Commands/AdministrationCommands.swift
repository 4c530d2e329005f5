import CommandLineKit
import FocusCore
import FocusSeal
import FocusServerCore
package import FocusServerStore
import FocusServing
import FocusText
import SystemKit

/// `focusd invite`: makes an invite to bring one group to this server. It works whether the server runs or
/// not.
package struct OperatorInviteCommand {
    let lifetime: Duration

    /// - Parameter lifetime: The time for which the invite is valid.
    package init(lifetime: Duration) { self.lifetime = lifetime }

    /// Makes an invite for the server in this folder, and prints it.
    ///
    /// - Throws: The error that keeps the folder, its key or its store from being used.
    package func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let identity = try folder.loadIdentity()
        let store = try folder.openStore(.writing)
        let secret = try InviteSecret.random()
        let expires = ServerClock.wall() + lifetime
        // This may wait for the network, so it isn't done within the transaction.
        let addresses = InviteAddresses.named(try store.read { try $0.addresses() })
        let text = try store.write { store in
            let invite = try Invite(
                kind: .bringGroup, addresses: addresses,
                server: ServerPin(identity.keyHash, next: store.announcedKey()?.key), secret: secret)
            let text = try invite.text()
            try store.addInvite(secret.token().hash(), group: nil, bundle: nil, expires: expires, by: nil)
            try AuditLog(folder).write("invite-made", [("expires", InstantText.text(expires))])
            return text
        }
        let minutes = lifetime.components.seconds / 60
        let time =
            lifetime == .seconds(minutes * 60) && minutes < 60
            ? "\(minutes) minute\(minutes == 1 ? "" : "s")" : DurationText.text(lifetime)
        let end = lifetime < .seconds(86_400) ? ", until \(localClock(expires))" : ""
        console.messages(
            "This invite lets one laptop bring its group to this server, or a new one, within \(time)\(end). On that laptop: focus join -, or paste it under Devices (J in the full screen)\n"
        )
        if !DataLock.isHeld(folder) {
            console.messages("No server is running there now. This starts it: \(folder.startCommand())\n")
        }
        try console.data("\(text)\n")
    }

    /// Returns the hour and minute at an instant by the machine's clock, as in `14:05`.
    private func localClock(_ instant: SharedInstant) -> Substring {
        var seconds = time_t(instant.milliseconds / 1000)
        var parts = tm()
        tzset()
        localtime_r(&seconds, &parts)
        return CivilTime(utc: instant + .seconds(parts.tm_gmtoff)).clock.prefix(5)
    }
}

/// `focusd groups quota`: sets limits of one group, which replace the limits in the settings. They apply from
/// the next upload on, also in a running server.
struct QuotaCommand {
    /// The first hexadecimal digits of the group's id, or its name.
    let id: String
    let change: QuotaChange

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let (group, quota) = try store.write { store in
            let group = try store.group(id, in: folder)
            var quota = group.quota
            change.events?.apply(to: &quota.events)
            change.bytes?.apply(to: &quota.bytes)
            change.devices?.apply(to: &quota.devices)
            try store.replaceQuota(of: group.group, with: quota)
            try AuditLog(folder).write(
                "group-quota-set", [("group", group.group.text)] + quota.parts.map { ($0.name, $0.text) })
            return (group, quota)
        }
        let parts = quota.parts.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
        console.messages("The group \(group.title) may have: \(parts).\n")
    }
}

extension QuotaChange.Value {
    fileprivate func apply(to limit: inout Int?) {
        switch self {
        case .standard: limit = nil
        case .number(let number): limit = number
        }
    }
}

extension GroupQuota {
    /// The limits as text for people; `default` for a limit that the settings decide.
    var parts: [(name: String, text: String)] {
        [
            ("events", events.map { "\($0)" } ?? "default"), ("bytes", bytes.map(SizeText.text) ?? "default"),
            ("devices", devices.map { "\($0)" } ?? "default"),
        ]
    }

    /// Whether the quota sets any limit.
    var isSet: Bool { self != GroupQuota() }
}

extension GroupSummary {
    /// The group's name in a sentence: the beginning of its id, and its name if it has one.
    var title: String { group.short + (name.map { " '\($0)'" } ?? "") }
}

/// `focusd groups delete`: removes a group from the server. A running server closes the connections of its
/// laptops within a second.
struct DeleteGroupCommand {
    /// The first hexadecimal digits of the group's id, or its name.
    let id: String
    /// Whether to skip the confirmation.
    let isSure: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let group = try store.read { try $0.group(id, in: folder) }
        guard try isSure || isConfirmed(group, console) else {
            throw CommandFailure("The group stays.", .notNow)
        }
        try store.write { store in
            guard try store.deleteGroup(group.group, now: ServerClock.wall()) else {
                throw CommandFailure("The group was deleted meanwhile.", .notNow)
            }
            try AuditLog(folder).write("group-deleted", [("group", group.group.text)])
        }
        // Between these steps, a running server can write for other groups. If this command is interrupted,
        // the server deletes the rest.
        while try store.write({ try $0.deleteRemains() }) {
            usleep(UInt32(DeleteGroupCommand.pause.inMicroseconds))
        }
        console.messages("The group \(group.group.short) is no longer on this server.\n")
    }

    /// The pause between two steps of deleting, in which others may write.
    private static let pause = Duration.milliseconds(5)

    private func isConfirmed(_ group: GroupSummary, _ console: FocusdProgram.Console) throws -> Bool {
        let question =
            "Delete the group \(group.title) (devices \(group.devices), events \(group.events)) "
            + "from this server? [y/N]"
        guard let answer = console.ask(question) else {
            throw CommandFailure("There is no terminal to ask on. Use --yes if you are sure.", .usage)
        }
        return ["y", "yes"].contains(answer.lowercased())
    }
}

/// `focusd groups rename` and `focusd devices rename`: set the operator's name for a group or a device, which
/// only this server knows.
struct OperatorRenameCommand {
    /// The first hexadecimal digits of the group's or device's id, or its present name.
    let id: String
    /// The new name; an empty one removes the name.
    let name: String

    func renameGroup(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let group = try store.write { store in
            let group = try store.group(id, in: folder).group
            try store.setName(stored, ofGroup: group)
            try AuditLog(folder).write("group-renamed", [("group", group.text), ("name", name)])
            return group
        }
        say("The group \(group.short)", console)
    }

    func renameDevice(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let key = try store.write { store in
            let key = try store.device(id, in: folder).device.key
            try store.setName(stored, ofDevice: key)
            try AuditLog(folder).write("device-renamed", [("device", key.hexadecimal), ("name", name)])
            return key
        }
        say("The device \(key.short)", console)
    }

    /// The name to store; nil removes it.
    private var stored: String? { name.isEmpty ? nil : name }

    private func say(_ what: String, _ console: FocusdProgram.Console) {
        console.messages(
            name.isEmpty ? "\(what) now has no name here.\n" : "\(what) is now called '\(name)' here.\n")
    }
}

/// `focusd devices revoke`: shuts a device out for good. A running server closes the device's connections
/// within a second.
struct OperatorRevokeCommand {
    /// The first hexadecimal digits of the device's id (the hash of its key), or its name.
    let id: String

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try folder.openStore(.writing)
        let device = try store.write { store in
            let device = try store.device(id, in: folder).device
            guard try store.revokeEverywhere(device.key, now: ServerClock.wall()) else {
                throw CommandFailure("The device \(device.key.short) was already revoked.", .notNow)
            }
            try AuditLog(folder).write("device-revoked", [("device", device.key.hexadecimal)])
            return device
        }
        console.messages("The device \(device.key.short) is refused from now on.\n")
    }
}
