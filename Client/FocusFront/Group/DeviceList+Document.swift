import FocusCore
package import FocusDevice
package import FocusText

extension DeviceList {
    /// What `focus devices --json` prints of these laptops.
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
            JSON.Member("late", .bool(entry.isLate)),
            JSON.Member("newSince", .optional(entry.newSince)),
            JSON.Member("replicas", .array(entry.replicas.map { .string($0.text) })),
            JSON.Member("lastEvent", .optional(entry.lastEvent)),
        ])
    }

    private static func document(_ revocation: Revocation) -> JSON {
        let (from, by, at): (String, String?, SharedInstant?) =
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
