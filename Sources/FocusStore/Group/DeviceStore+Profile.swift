import FocusColumns
package import FocusCore
import SQLiteKit

/// The name of something that a device keeps beside its log.
package struct ProfileKey: RawRepresentable, Hashable, Sendable {
    /// What it is called in the database: other versions of the program look for it under the same name.
    package let rawValue: String

    /// The key of this name in the database.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The device's name, as its `device` event says it.
    package static let deviceName = ProfileKey(rawValue: "device-name")
    /// The hash of the device's own public key, 64 hex digits; there is none before it first joins a group.
    package static let deviceKey = ProfileKey(rawValue: "device-key")
    /// That public key itself, 65 bytes.
    package static let publicKey = ProfileKey(rawValue: "public-key")
    /// The server's addresses, one a line.
    package static let servers = ProfileKey(rawValue: "servers")
    /// The hash of the server's public key.
    package static let serverKey = ProfileKey(rawValue: "server-key")
    /// The hash of the public key that the server will show one day.
    package static let nextServerKey = ProfileKey(rawValue: "next-server-key")
    /// The last sample of the shared clock.
    package static let clock = ProfileKey(rawValue: "clock")
    /// When the device last heard from its server.
    package static let lastSync = ProfileKey(rawValue: "last-sync")
    /// How the connection to the server stands.
    package static let link = ProfileKey(rawValue: "link")
    /// What keeps the device from its server since it was last connected, and the hash of that server's public key.
    package static let obstacle = ProfileKey(rawValue: "obstacle")
    /// Why the server that the device is connected to takes nothing of it, if it doesn't.
    package static let stop = ProfileKey(rawValue: "stop")

    /// The newest of the group's epochs that was told of.
    package static let toldEpoch = ProfileKey(rawValue: "told-epoch")

    /// The epoch whose record said that somebody was revoked before anybody else did: that one may have made it.
    package static let doubtedEpoch = ProfileKey(rawValue: "doubted-epoch")

    /// Since when it has waited for others to go on from an epoch that was made for them alone.
    package static let passingOver = ProfileKey(rawValue: "passing-over")

    /// The newest epoch of those that the device has followed: not one that came beside it.
    package static let lineEpoch = ProfileKey(rawValue: "line-epoch")

    /// Whom the group's key was made for lately that none had been made for before.
    package static let newcomers = ProfileKey(rawValue: "newcomers")

    /// The sleeps of which it isn't known yet whether others were there meanwhile.
    package static let sleep = ProfileKey(rawValue: "sleep")

    /// What the device has shown of what was pressed while it was cut off, until it has taken in what the others have.
    package static let shownWork = ProfileKey(rawValue: "shown-work")

    /// The stamps of the undos that the device wrote by itself on returning, and that no server ever had.
    static let returnUndos = ProfileKey(rawValue: "return-undos")

    /// From which events on others have written under the device's own names.
    static let usurped = ProfileKey(rawValue: "usurped")

    /// The other laptop's press of which this one has told that phases left the history for it.
    package static let latePress = ProfileKey(rawValue: "late-press")

    /// What was last resolved between presses that contradicted each other, as a sentence.
    package static let resolved = ProfileKey(rawValue: "settled")

    /// Where the person is in the full-screen view, as JSON.
    package static let view = ProfileKey(rawValue: "view")

    static let group = ProfileKey(rawValue: "group")
    /// The greatest stamp of the device's own events that a server had before it was restored or left.
    static let sharedStamp = ProfileKey(rawValue: "shared-stamp")

    /// What belongs to a group and its server, and goes when the device leaves.
    static let ofGroup = [
        group, servers, serverKey, nextServerKey, lastSync, link, obstacle, stop, toldEpoch, doubtedEpoch,
        lineEpoch, passingOver, newcomers, sleep, shownWork, returnUndos, usurped,
        latePress, resolved, sharedStamp,
    ]

    /// What is noted again and again, while the device is connected or at each key, so that a loss of power may take
    /// the last of it.
    fileprivate static let fleeting: Set = [clock, lastSync, link, obstacle, stop, view]
}

extension DeviceStore {
    /// The bytes kept under this name; nil where there are none.
    package func value(_ key: ProfileKey) throws(StoreError) -> [UInt8]? {
        try StoreError.translating {
            try database.first("SELECT value FROM profile WHERE name = ?", key.rawValue, read: { $0[0] })
        }
    }

    /// Keeps bytes under this name; nil takes away what is there.
    package func setValue(_ value: [UInt8]?, for key: ProfileKey) throws(StoreError) {
        try writing(ProfileKey.fleeting.contains(key) ? .normal : .full) {
            if let value {
                try database.run(
                    "INSERT OR REPLACE INTO profile (name, value) VALUES (?, ?)", key.rawValue, value)
            } else {
                try database.run("DELETE FROM profile WHERE name = ?", key.rawValue)
            }
        }
    }

    /// The text kept under this name; nil where there is none.
    package func text(_ key: ProfileKey) throws(StoreError) -> String? {
        try value(key).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Keeps text under this name; nil takes away what is there.
    package func setText(_ text: String?, for key: ProfileKey) throws(StoreError) {
        try setValue(text.map { Array($0.utf8) }, for: key)
    }

    /// The hash of the device's own public key, which is who it is; nil before it first joins a group.
    package func deviceKey() throws(StoreError) -> Digest? {
        try text(.deviceKey).flatMap(Digest.init(hexadecimal:))
    }

    /// Keeps that the device's own public key has this hash.
    package func setDeviceKey(_ key: Digest) throws(StoreError) {
        try setText(key.hexadecimal, for: .deviceKey)
    }

    /// The group that the device is in; nil where it is alone.
    package func group() throws(StoreError) -> GroupID? {
        try StoreError.translating {
            try database.first("SELECT value FROM profile WHERE name = ?", ProfileKey.group.rawValue) {
                try $0.group(0)
            }
        }
    }

    func setGroup(_ group: GroupID) throws(StoreError) {
        try setValue(group.bytes, for: .group)
    }
}
