import CommandLineKit
import FocusCore
import FocusDevice
import FocusStore
import FocusText
import FocusWords

/// `focus devices`: who shares the session.
struct DevicesCommand {
    let json: Bool

    /// Prints the devices, this one first.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        guard let device else { return try show([.this(context.machine.hostName())], at: 0, in: context) }
        let (entries, now) = try device.using { device throws(StoreError) in
            (try DeviceList(device).entries, try device.now())
        }
        try show(entries, at: now, in: context)
    }

    private func show(
        _ entries: [DeviceList.Entry], at now: Int64, in context: CommandContext
    ) throws(CommandFailure) {
        if json {
            let document = JSON.object([JSON.Member("devices", .array(entries.map(document)))])
            return try context.print("\(document)\n")
        }
        let width = entries.map(\.title.count).max() ?? 0
        try context.print(entries.map { "\(line($0, width, now))\n" }.joined())
    }

    private func line(_ entry: DeviceList.Entry, _ width: Int, _ now: Int64) -> String {
        "\(padded(entry.title, to: width))  \(entry.remarks(at: now).joined(separator: ", "))"
    }

    private func document(_ entry: DeviceList.Entry) -> JSON {
        .object([
            JSON.Member("name", .string(entry.name)), JSON.Member("key", .optional(entry.key)),
            JSON.Member("this", .bool(entry.isThis)), JSON.Member("online", .bool(entry.isOnline)),
            JSON.Member("named", .bool(entry.isNamed)), JSON.Member("revoked", .bool(entry.isRevoked)),
            JSON.Member("revocation", entry.revocation.map(document) ?? .null),
            JSON.Member("readmitted", .bool(entry.isReadmitted)),
            JSON.Member("late", .bool(entry.isLate)),
            JSON.Member("newSince", .optional(entry.newSince)),
            JSON.Member("replicas", .array(entry.replicas.map { .string($0.text) })),
            JSON.Member("lastEvent", .optional(entry.lastEvent)),
        ])
    }

    private func document(_ revocation: DeviceList.Revocation) -> JSON {
        let (from, by, at): (String, String?, Int64?) =
            switch revocation {
            case .device(let name, let time): ("log", name, time)
            case .server: ("server", nil, nil)
            case .itself(let time): ("itself", nil, time)
            }
        return .object([
            JSON.Member("from", .string(from)), JSON.Member("by", .optional(by)),
            JSON.Member("at", .optional(at)),
        ])
    }
}

extension DeviceList.Entry {
    /// What there is to say of it, for people.
    ///
    /// - Parameter now: In shared time, milliseconds since the Unix epoch.
    func remarks(at now: Int64) -> [String] {
        var remarks: [String] = []
        if isThis { remarks.append("this laptop") }
        if isRevoked { remarks.append(shutOut(at: now)) }
        if isReadmitted { remarks.append("taken back, may join anew") }
        if isLate { remarks.append("waiting to be accepted") }
        if isOnline { remarks.append("online") }
        if let newSince {
            remarks.append("new, got the group's key \(AgoText.text(milliseconds: now - newSince))")
        }
        guard isNamed else { return remarks + ["listed by the server, named by no laptop"] }
        if hasLeft { return remarks }
        let ago = lastEvent.map { "last used \(AgoText.text(milliseconds: now - $0))" }
        return remarks + [ago ?? "not used yet"]
    }

    /// Who shut it out, and when, or when it left.
    private func shutOut(at now: Int64) -> String {
        switch revocation {
        case nil: "shut out"
        case .server: "shut out by the server"
        case .device(let name, let time): "shut out by \(name) \(AgoText.text(milliseconds: now - time))"
        case .itself(let time): "left \(AgoText.text(milliseconds: now - time))"
        }
    }
}
