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
            return try context.print("\(DeviceList.document(entries))\n")
        }
        let width = entries.map(\.title.count).max() ?? 0
        try context.print(entries.map { "\(line($0, width, now))\n" }.joined())
    }

    private func line(_ entry: DeviceList.Entry, _ width: Int, _ now: Int64) -> String {
        "\(padded(entry.title, to: width))  \(entry.remarks(at: now).joined(separator: ", "))"
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
