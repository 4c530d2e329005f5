package import FocusCore

/// What the server keeps of a group, for its operator.
package struct GroupSummary: Hashable, Sendable {
    /// Its id.
    package let group: GroupID
    /// As the operator calls it; nil where it has no name.
    package let name: String?
    /// When it came here.
    package let created: SharedInstant
    /// Less the revoked, and less those that are only listed.
    package let devices: Int
    /// The devices that were revoked.
    package let revokedDevices: Int
    /// The keys that laptops list and that were never here, the revoked included.
    package let listedDevices: Int
    /// How many events it has.
    package let events: Int64
    /// What the rows of its events take (`StoredSize`), in bytes.
    package let bytes: Int64
    /// What the operator lets it have.
    package let quota: GroupQuota
}

/// What the server keeps of a device, for its operator.
package struct DeviceSummary: Hashable, Sendable {
    /// What the group's roster says of it.
    package let device: StoredDevice
    /// As the operator calls it; nil where it has no name.
    package let name: String?
    /// As the operator calls its group.
    package let groupName: String?
    /// The program that it last said hello with; nil where it has said none.
    package let program: String?
    /// Since when a server that runs has it connected; nil where it isn't.
    package let connectedSince: SharedInstant?
    /// The events that it brought and that were new here, whoever's they are.
    package let events: Int64
    /// What these take, in bytes.
    package let bytes: Int64
}

/// The last backup that the server made by itself.
package struct LastBackup: Hashable, Sendable {
    /// A backup that was made.
    package struct Made: Hashable, Sendable {
        /// When that was.
        package let time: SharedInstant
        /// Its path.
        package let file: String
    }

    /// Nil where there was none.
    package var made: Made?
    /// What was wrong with the last try; nil where nothing was.
    package var problem: String?
}
