import FocusCore
import FocusSeal
import FocusServerStore
import FocusText

/// `focusd groups`, `devices` and `status`: list the server's content, as lines or as one JSON object.
struct Listing: ~Copyable {
    private let store: any ServerStore
    private let folder: DataFolder

    init(_ folder: DataFolder) throws {
        self.folder = folder
        store = try folder.openStore(.writing)
    }

    func groups(json: Bool, _ console: FocusdProgram.Console) throws {
        let groups = try store.read { try $0.summaries() }
        if json {
            let items = groups.map { group in
                JSON.object([
                    JSON.Member("id", .string(hexadecimal(group.group.bytes))),
                    JSON.Member("name", .optional(group.name)),
                    JSON.Member("created", .instant(group.created)),
                    JSON.Member("devices", .integer(group.devices)),
                    JSON.Member("revokedDevices", .integer(group.revokedDevices)),
                    JSON.Member("listedDevices", .integer(group.listedDevices)),
                    JSON.Member("events", .integer(group.events)),
                    JSON.Member("bytes", .integer(group.bytes)),
                    JSON.Member(
                        "quota",
                        .object([
                            JSON.Member("events", .optional(group.quota.events.map(Int64.init))),
                            JSON.Member("bytes", .optional(group.quota.bytes.map(Int64.init))),
                            JSON.Member("devices", .optional(group.quota.devices.map(Int64.init))),
                        ])),
                ])
            }
            return try console.data("\(JSON.object([JSON.Member("groups", .array(items))]))\n")
        }
        if groups.isEmpty {
            console.messages(
                "There is no group yet. This makes an invite for one: \(folder.command("invite"))\n")
        }
        for group in groups {
            let name = group.name.map { "  '\($0)'" } ?? ""
            let parts = group.quota.parts.filter { $0.text != "default" }.map { "\($0.name) \($0.text)" }
            let quota = parts.isEmpty ? "" : "  quota: " + parts.joined(separator: ", ")
            try console.data(
                "\(hexadecimal(group.group.bytes))\(name)  devices \(group.devices)  events \(group.events)  "
                    + "bytes \(group.bytes)  since \(InstantText.text(group.created))\(quota)\n")
        }
    }

    func devices(json: Bool, _ console: FocusdProgram.Console) throws {
        let summaries = try store.read { try $0.deviceSummaries() }
        // A store in a file still contains the connections of a server that was killed. A database knows
        // which servers run.
        let isRunning = !folder.place.isInFolder || DataLock.isHeld(folder)
        if json {
            let items = summaries.map { summary in
                let device = summary.device
                return JSON.object([
                    JSON.Member("id", .string(device.key.hexadecimal)),
                    JSON.Member("name", .optional(summary.name)),
                    JSON.Member("group", .string(hexadecimal(device.group.bytes))),
                    JSON.Member("groupName", .optional(summary.groupName)),
                    JSON.Member("onlyListed", .bool(!device.isProved)),
                    JSON.Member("enrolled", .instant(device.enrolled)),
                    JSON.Member("connected", .bool(isRunning && summary.connectedSince != nil)),
                    JSON.Member("lastSeen", .instant(device.lastSeen)),
                    JSON.Member("revoked", .optional(device.revoked)),
                    JSON.Member("program", .optional(summary.program)),
                    JSON.Member("events", .integer(summary.events)),
                    JSON.Member("bytes", .integer(summary.bytes)),
                ])
            }
            return try console.data("\(JSON.object([JSON.Member("devices", .array(items))]))\n")
        }
        if summaries.isEmpty { console.messages("There is no device yet.\n") }
        for summary in summaries { try console.data(line(summary, isRunning: isRunning)) }
    }

    private func line(_ summary: DeviceSummary, isRunning: Bool) -> String {
        let device = summary.device
        let name = summary.name.map { "  '\($0)'" } ?? ""
        let group = summary.groupName.map { "'\($0)'" } ?? device.group.short
        let state =
            if let revoked = device.revoked {
                "revoked \(InstantText.text(revoked))" + (device.isProved ? "" : ", never here")
            } else if !device.isProved {
                "only listed since \(InstantText.text(device.enrolled)), never here"
            } else if isRunning, let since = summary.connectedSince {
                "connected since \(InstantText.text(since))"
            } else {
                "last seen \(InstantText.text(device.lastSeen))"
            }
        let program = summary.program.map { "  with \($0)" } ?? ""
        return "\(device.key.hexadecimal.prefix(16))\(name)  group \(group)  \(state)  "
            + "brought events \(summary.events), bytes \(summary.bytes)\(program)\n"
    }

    func status(json: Bool, _ console: FocusdProgram.Console) throws {
        let running = DataLock.notes(folder)
        let (groups, stored, backup, clock, change, servers) = try store.read { store in
            let clock = try ClockStatus(store, running: running)
            let present = try folder.loadIdentity().keyHash
            // A database may still have the record of the store in a file that was moved to it.
            let backup = try folder.place.isInFolder ? store.lastBackup() : LastBackup()
            return (
                try store.summaries(), try store.addresses(), backup, clock,
                try ServerKeyChange(store, present: present, now: clock.wall), try store.servers()
            )
        }
        let devices = groups.reduce(0) { $0 + $1.devices }
        let events = groups.reduce(Int64(0)) { $0 + $1.events }
        let metrics = running?.metrics
        let addresses = InviteAddresses.named(stored)
        if json {
            let object = JSON.object([
                JSON.Member("running", .bool(running != nil)),
                JSON.Member("data", .string(folder.path)),
                JSON.Member("addresses", .array(addresses.map(JSON.string))),
                JSON.Member("groups", .integer(groups.count)),
                JSON.Member("devices", .integer(devices)),
                JSON.Member("events", .integer(events)),
                JSON.Member("storeTrouble", .optional(running?.storeTrouble)),
                JSON.Member("clockSure", .bool(clock.trouble == nil)),
                JSON.Member("nextKey", .optional(change?.next.hexadecimal)),
                JSON.Member("untoldDevices", .optional(change?.uninformedDevices.count)),
                JSON.Member("metrics", .optional(metrics)),
                JSON.Member("web", .optional(running?.web)),
                JSON.Member("servers", .array(servers.map(JSON.string))),
                JSON.Member(
                    "backup",
                    .object([
                        JSON.Member("time", .optional(backup.made?.time)),
                        JSON.Member("file", .optional(backup.made?.file)),
                        JSON.Member("problem", .optional(backup.problem)),
                    ])),
            ])
            return try console.data("\(object)\n")
        }
        try console.data(
            """
            \(running != nil ? "Running" : "Not running"), with its data in \(folder.path).
            Invites name \(addresses.joined(separator: ", ")).
            Groups: \(groups.count). Devices: \(devices). Events: \(events).

            """)
        if let metrics {
            try console.data("Metrics and health are at http://\(metrics): /metrics, /healthz, /readyz.\n")
        }
        if let web = running?.web {
            try console.data("The page for browsers is at http://\(web), for a proxy with HTTPS.\n")
        }
        if !servers.isEmpty {
            try console.data("Servers that run on this database: \(servers.joined(separator: ", ")).\n")
        }
        if let made = backup.made {
            try console.data("Last automatic backup: \(InstantText.name(made.time)), in \(made.file).\n")
        }
        if let problem = backup.problem {
            try console.data("Its last backup failed: \(problem)\n")
        }
        if let change {
            let informed = change.informedDevices.count
            let next =
                change.uninformedDevices.isEmpty
                ? "This changes it: \(folder.command("rekey finish"))"
                : "This lists the others: \(folder.command("rekey"))"
            try console.data(
                "Its key is about to change: \(informed) of \(informed + change.uninformedDevices.count) "
                    + "devices know the next one. \(next)\n")
        }
        if let trouble = running?.storeTrouble { try console.data("It accepts nothing new. \(trouble)\n") }
        if let trouble = clock.trouble {
            try console.data(
                "Its clock \(trouble): it accepts nothing new. This says more: \(folder.command("clock"))\n")
        }
    }
}
