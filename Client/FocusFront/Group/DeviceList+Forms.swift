package import FocusCore
package import FocusDevice
package import FocusText

extension DeviceList.Entry {
    /// Returns remarks about the device, for people.
    ///
    /// - Parameters:
    ///   - now: The present instant in shared time.
    ///   - isShort: Whether there are few columns.
    package func remarks(at now: SharedInstant, isShort: Bool = false) -> [String] {
        var remarks: [String] = []
        if isThis { remarks.append(isShort ? "this one" : "this laptop") }
        if let server {
            remarks.append("the server" + (server == .unreachable ? " (can't be reached)" : ""))
        }
        if isRevoked { remarks.append(shutOut(at: now)) }
        if isReadmitted { remarks.append("readmitted" + (isShort ? "" : ", not accepted yet")) }
        if isLate { remarks.append("waiting" + (isShort ? "" : " to be accepted")) }
        if isRefused {
            remarks.append("needs a new invite" + (isShort ? "" : ": the server still refuses its key"))
        }
        if isOnline { remarks.append("online") }
        // The group's key is of no use to a laptop that the server refuses.
        if let newSince, !isRefused {
            remarks.append("new" + (isShort ? "" : ", got the group's key \(AgoText.text(now - newSince))"))
        }
        guard isNamed else { return remarks + [isShort ? "only listed" : "only listed by the server"] }
        if hasLeft { return remarks }
        let ago = lastEvent.map { "\(isShort ? "" : "last ")used \(AgoText.text(now - $0))" }
        return remarks + [ago ?? "no session yet"]
    }

    /// Returns who revoked the device and when, or when the device left.
    private func shutOut(at now: SharedInstant) -> String {
        switch revocation {
        case nil: "shut out"
        case .server: "shut out by the server"
        case .record: "shut out by a laptop that changed the key"
        case .device(let name, let time): "shut out by \(name) \(AgoText.text(now - time))"
        case .itself(let time): "left \(AgoText.text(now - time))"
        }
    }
}

extension DeviceList {
    /// Returns the object that `focus devices --json` prints for these laptops.
    package static func document(_ entries: [Entry]) -> JSON {
        .object([JSON.Member("devices", .array(entries.map(document)))])
    }

    private static func document(_ entry: Entry) -> JSON {
        .object([
            JSON.Member("name", .string(entry.name)), JSON.Member("key", .optional(entry.key?.hexadecimal)),
            JSON.Member("this", .bool(entry.isThis)), JSON.Member("online", .bool(entry.isOnline)),
            JSON.Member("named", .bool(entry.isNamed)), JSON.Member("revoked", .bool(entry.isRevoked)),
            JSON.Member("revocation", entry.revocation.map(document) ?? .null),
            JSON.Member("readmitted", .bool(entry.isReadmitted)),
            JSON.Member("late", .bool(entry.isLate)), JSON.Member("refused", .bool(entry.isRefused)),
            JSON.Member("newSince", .optional(entry.newSince)),
            JSON.Member("recent", .bool(entry.isRecent)),
            JSON.Member("server", .optional(entry.server?.rawValue)),
            JSON.Member("arrival", .integer(entry.arrival)),
            JSON.Member("replicas", .array(entry.replicas.map { .string($0.text) })),
            JSON.Member("lastEvent", .optional(entry.lastEvent)),
        ])
    }

    private static func document(_ revocation: Revocation) -> JSON {
        let (from, by, at): (String, String?, SharedInstant?) =
            switch revocation {
            case .device(let name, let time): ("log", name, time)
            case .server: ("server", nil, nil)
            case .record: ("record", nil, nil)
            case .itself(let time): ("itself", nil, time)
            }
        return .object([
            JSON.Member("from", .string(from)), JSON.Member("by", .optional(by)),
            JSON.Member("at", .optional(at)),
        ])
    }
}
