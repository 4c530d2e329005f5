package import FocusCore

/// What the device has of its group, as a session begins.
package struct LocalLog: Hashable, Sendable {
    /// The group that the log belongs to.
    package var group: GroupID
    /// Every replica's head; chains have to be up to date.
    package var vector: VersionVector
    /// The group's devices as the log names them, less the revoked, and the revoked.
    package var roster: [RosterEntry]
    /// The records of the group's epochs, those without a body included.
    package var epochs: [EpochRecord]

    /// What a device has of a group, as its store says.
    package init(
        group: GroupID, vector: VersionVector, roster: [RosterEntry] = [], epochs: [EpochRecord] = []
    ) {
        self.group = group
        self.vector = vector
        self.roster = roster
        self.epochs = epochs
    }
}
