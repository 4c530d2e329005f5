import FocusCore
package import FocusDevice
package import FocusSync

/// Something that happened while syncing and that a person should know.
package enum SyncNotice: Hashable, Sendable {
    /// What the device did by itself on returning.
    case returned([Returned])
    /// This many presses were on a branch of the log that the group doesn't have; they were moved to one of
    /// their own.
    case branchMoved(count: Int)
    /// So many events that can't be read were on a branch of the log that the group doesn't have; they are put aside
    /// until their key comes.
    case putAside(count: Int)
    /// Another machine writes as this one: a copy of it, or itself before it was restored.
    case cloned
    /// This many presses lay in the future, since this device's clock was wrong; they were written anew.
    case reauthored(count: Int)
    /// The log has events under the names of these laptops that the group's key doesn't open.
    case damaged(by: [String])
    case stopped(RefusalCode)
    /// The server doesn't take a device of the group that this one told it of.
    case unlisted(Refusal)
    /// Shared time seems to have jumped by so much; this device doesn't follow.
    case clockJumped(by: Duration)
    case clockNotSure
    /// The group has a new key, which these laptops, that were shut out or have left, don't get.
    case keyChanged(without: [String])
    /// The group's new key is for these laptops too, which no earlier one was made for.
    case newcomers([String])
    /// These laptops have shown themselves under a key from before a revocation, and get no newer one until a person
    /// accepts them.
    case latecomers([String])
    /// The server doesn't keep the new key that this laptop made for the group.
    case keyUnchanged(Refusal)
    /// So many new keys of the group can't be used.
    case badEpochs(count: Int)
    /// What was done about time that this laptop slept through.
    case woke(Waking.Deed)
    /// What was recorded alone was written into the log of the group that was joined.
    case tookAlong(CarriedHistory.Extent)
    /// What was recorded alone isn't in the group that was joined, but in a copy.
    case leftBehind(CarriedHistory.Extent, copy: Home)

    /// Whether it is about presses that contradicted each other.
    package var isAboutConflict: Bool {
        switch self {
        case .returned, .branchMoved, .cloned, .reauthored, .woke(.tookBack): true
        case .putAside, .damaged, .stopped, .unlisted, .clockJumped, .clockNotSure, .keyChanged, .newcomers,
            .latecomers,
            .keyUnchanged, .badEpochs, .woke(.paused), .tookAlong, .leftBehind:
            false
        }
    }

    /// Whether it is about who has the group's key: it is said wherever it comes up.
    package var isAboutKey: Bool {
        switch self {
        case .keyChanged, .newcomers, .latecomers: true
        default: false
        }
    }
}
