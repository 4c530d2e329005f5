import FocusColumns
package import FocusCore
import SQLiteKit

/// The name of a value that a device keeps beside its log.
package struct StoredValueKey: RawRepresentable, Hashable, Sendable {
    /// The name in the database. Other versions of the program use the same names.
    package let rawValue: String

    /// Creates the key of a name in the database.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The device's name, as in its `device` event.
    package static let deviceName = StoredValueKey(rawValue: "device-name")
    /// The hash of the device's own public key, 64 hex digits. It is missing until the device first joins a
    /// group.
    package static let deviceKey = StoredValueKey(rawValue: "device-key")
    /// The device's own public key, 65 bytes.
    package static let publicKey = StoredValueKey(rawValue: "public-key")
    /// The server's addresses, and that of its page for browsers, one a line.
    package static let servers = StoredValueKey(rawValue: "servers")
    /// The invite's addresses, and those at which the server was reached, one a line. They are tried last.
    package static let fallbackServers = StoredValueKey(rawValue: "fallback-servers")
    /// The hash of the server's public key.
    package static let serverKey = StoredValueKey(rawValue: "server-key")
    /// The hash of the public key that the server has announced as its next.
    package static let nextServerKey = StoredValueKey(rawValue: "next-server-key")
    /// The last sample of the server's clock, for the estimate of shared time.
    package static let clock = StoredValueKey(rawValue: "clock")
    /// The time at which the device last heard from its server.
    package static let lastSync = StoredValueKey(rawValue: "last-sync")
    /// The state of the connection to the server.
    package static let link = StoredValueKey(rawValue: "link")
    /// The reason why the device couldn't reach its server since their last connection, and the hash of that
    /// server's public key.
    package static let obstacle = StoredValueKey(rawValue: "obstacle")
    /// The reason why the connected server accepts no events from this device. No value if it accepts them.
    package static let stop = StoredValueKey(rawValue: "stop")

    /// The newest of the group's epochs that the person was told about.
    package static let toldEpoch = StoredValueKey(rawValue: "told-epoch")

    /// An epoch that may be made by a device that the epoch's own record calls revoked.
    package static let doubtedEpoch = StoredValueKey(rawValue: "doubted-epoch")

    /// The wait for another laptop that has made an epoch without a key for this device (`EpochWait`).
    package static let epochWait = StoredValueKey(rawValue: "passing-over")

    /// The newest epoch on the line that the device has followed, not one beside it.
    package static let lineEpoch = StoredValueKey(rawValue: "line-epoch")

    /// The devices that recently received an epoch's key for the first time.
    package static let newcomers = StoredValueKey(rawValue: "newcomers")

    /// Suspensions of the machine. Whether another device was in use during them isn't known yet.
    package static let sleep = StoredValueKey(rawValue: "sleep")

    /// A time in which nobody was at the laptop.
    package static let absence = StoredValueKey(rawValue: "absence")

    /// The phases that this device showed while it was offline. They are kept until the device has merged the
    /// other laptops' events. The name in the database is older than this one and has to stay.
    package static let offlineWorkNote = StoredValueKey(rawValue: "shown-work")

    /// The `start` with which the device continued a work phase by itself, until that phase has ended.
    static let continuation = StoredValueKey(rawValue: "continuation")

    /// The stamps of undos that the device wrote by itself on returning, if no server ever had them.
    static let returnUndos = StoredValueKey(rawValue: "return-undos")

    /// The own replicas under which another device has written too, each with the first seq of that device's
    /// events.
    static let usurped = StoredValueKey(rawValue: "usurped")

    /// The other laptop's late press that this laptop has told the person about.
    package static let latePress = StoredValueKey(rawValue: "late-press")

    /// The last press when the person answered that time away stays counted, which writes nothing.
    package static let keptPress = StoredValueKey(rawValue: "kept-press")

    /// The last contradiction between presses that was resolved, as a sentence. Its name in the database is
    /// older than this one and has to stay.
    package static let resolved = StoredValueKey(rawValue: "settled")

    /// The person's place in the full-screen view, as JSON.
    package static let view = StoredValueKey(rawValue: "view")

    /// The group that the device is in.
    static let group = StoredValueKey(rawValue: "group")
    /// The greatest stamp of the device's own events that a server had before that server was restored, or
    /// before the group moved to another server.
    static let sharedStamp = StoredValueKey(rawValue: "shared-stamp")

    /// The values of a group and its server. They are removed when the device leaves.
    static let ofGroup = [
        group, servers, fallbackServers, serverKey, nextServerKey, lastSync, link, obstacle, stop, toldEpoch,
        doubtedEpoch, lineEpoch, epochWait, newcomers, sleep, absence, offlineWorkNote, continuation,
        returnUndos, usurped, latePress, keptPress, resolved, sharedStamp,
    ]

    /// The values that are written often, while the device is connected or at each key press. A loss of power
    /// may undo their last changes.
    fileprivate static let fleeting: Set = [clock, lastSync, link, obstacle, stop, view]
}

extension DeviceStore {
    /// Returns the bytes of a value; nil if there are none.
    package func value(_ key: StoredValueKey) throws(StoreError) -> [UInt8]? {
        try database.first("SELECT value FROM profile WHERE name = ?", key.rawValue, read: { $0[0] })
    }

    /// Stores the bytes of a value; nil removes them.
    package func setValue(_ value: [UInt8]?, for key: StoredValueKey) throws(StoreError) {
        try writing(StoredValueKey.fleeting.contains(key) ? .normal : .full) { () throws(StoreError) in
            if let value {
                try database.run(
                    "INSERT OR REPLACE INTO profile (name, value) VALUES (?, ?)", key.rawValue, value)
            } else {
                try database.run("DELETE FROM profile WHERE name = ?", key.rawValue)
            }
        }
    }

    /// Returns the text of a value; nil if there is none.
    package func text(_ key: StoredValueKey) throws(StoreError) -> String? {
        try value(key).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Stores the text of a value; nil removes it.
    package func setText(_ text: String?, for key: StoredValueKey) throws(StoreError) {
        try setValue(text.map { Array($0.utf8) }, for: key)
    }

    /// Returns the hash of the device's own public key, which is its identity; nil before it first joins a
    /// group.
    package func deviceKey() throws(StoreError) -> Digest? {
        try text(.deviceKey).flatMap(Digest.init(hexadecimal:))
    }

    /// Stores the hash of the device's own public key.
    package func setDeviceKey(_ key: Digest) throws(StoreError) {
        try setText(key.hexadecimal, for: .deviceKey)
    }

    /// Returns the group that the device is in; nil if it is in none.
    package func group() throws(StoreError) -> GroupID? {
        try database.first("SELECT value FROM profile WHERE name = ?", StoredValueKey.group.rawValue) {
            (row: borrowing Row) throws(StoreError) in
            do throws(RowCorruption) { return try row.group(0) } catch { throw StoreError(error) }
        }
    }

    func setGroup(_ group: GroupID) throws(StoreError) {
        try setValue(group.bytes, for: .group)
    }
}
