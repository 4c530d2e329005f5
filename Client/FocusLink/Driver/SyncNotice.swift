package import FocusCore
package import FocusDevice
import FocusStore
package import FocusSync

/// An event during syncing that a person should know about.
package enum SyncNotice: Hashable, Sendable {
    /// The device's own actions on returning.
    case returned([Returned])
    /// `count` presses were on a branch of the log that the group doesn't have. They were moved to a branch
    /// of their own.
    case branchMoved(count: Int)
    /// `count` unreadable events were on a branch of the log that the group doesn't have. They are put aside
    /// until their key arrives.
    case putAside(count: Int)
    /// Another machine writes as this one: a copy of it, or this machine before it was restored.
    case cloned
    /// `count` presses lay in the future because this device's clock was wrong. They were written again.
    case reauthored(count: Int)
    /// The log has events under the names of these laptops that the group's key doesn't open.
    case damaged(by: [String])
    /// The server refuses events of this device for now, for this reason. They are sent again later.
    case stopped(RefusalCode)
    /// The server at this address sends more unreadable data than this device keeps.
    case unreadableExcess(by: String)
    /// The server refuses a device of the group that this device told it about.
    case unlisted(Refusal)
    /// Shared time seems to have jumped by this duration. This device doesn't follow.
    case clockJumped(by: Duration)
    /// The server isn't sure of its clock, and so takes no new events.
    case clockNotSure
    /// The group has a new key, which these laptops don't get. They were shut out or have left.
    case keyChanged(without: [String])
    /// The group's new key is also for these laptops, for which no earlier key was made.
    case newcomers([String])
    /// These laptops use a key from before a revocation. They get no newer key until a person accepts them.
    case latecomers([String])
    /// The server refuses to keep the new key that this laptop made for the group.
    case keyUnchanged(Refusal)
    /// `count` new keys of the group can't be used.
    case badEpochs(count: Int)
    /// The action of this laptop after a suspension.
    case woke(SuspensionHandling.Deed)
    /// The history recorded outside a group was written into the log of the group that was joined.
    case tookAlong(HistoryTransfer.Extent)
    /// The history recorded outside a group isn't in the group that was joined, only in a copy.
    case leftBehind(HistoryTransfer.Extent, copy: Home)

    /// Returns the notices about the move of a tail.
    static func notices(of move: TailMove) -> [SyncNotice] {
        switch move {
        case .tailChanged: []
        case .movedPartly(let events, let aside):
            events.isEmpty
                ? [.putAside(count: aside)]
                : [.putAside(count: aside), .branchMoved(count: events.count)]
        case .moved(let events): [.branchMoved(count: events.count)]
        }
    }

    /// Whether the notice is about presses that contradicted each other.
    package var isAboutConflict: Bool {
        switch self {
        case .returned, .branchMoved, .cloned, .reauthored, .woke(.tookBack): true
        case .putAside, .damaged, .stopped, .unreadableExcess, .unlisted, .clockJumped, .clockNotSure,
            .keyChanged, .newcomers, .latecomers, .keyUnchanged, .badEpochs, .woke(.paused), .tookAlong,
            .leftBehind:
            false
        }
    }

    /// Whether the notice is about changes that the server hasn't taken.
    package var isAboutUnsent: Bool {
        switch self {
        case .stopped, .clockNotSure: true
        default: false
        }
    }

    /// Whether the notice is about the server's clock being wrong.
    package var isAboutServerClock: Bool {
        switch self {
        case .clockJumped, .clockNotSure, .stopped(.clockNotSure): true
        default: false
        }
    }

    /// Whether the notice is about who has the group's key. Such a notice is shown everywhere.
    package var isAboutKey: Bool {
        switch self {
        case .keyChanged, .newcomers, .latecomers: true
        default: false
        }
    }
}

extension SyncNotice {
    /// One action that a device took by itself on returning, for a person to read.
    package enum Returned: Hashable, Sendable {
        /// The session begun here while cut off was ended, because the others have one.
        case stoppedOwn
        /// The session begun here while cut off is the group's now.
        case adopted
        /// The session of the laptop with this name was ended at the instant this laptop's own session began.
        case closed(of: String)
        /// The laptop with this name began a session at the same moment. This laptop is in that session now.
        case joined(String)
        /// These presses were taken back. `canRedo`: whether a redo by the person restores them.
        case tookBack([Press], canRedo: Bool = true)
        /// These undos were taken back. `canRedo` as in `tookBack`.
        case putBack([Press], canRedo: Bool = true)
        /// A change of a setting or profile, made while cut off, was made again. The value names the setting
        /// or profile.
        case setAnew(String)
        /// The session goes on here in a new run.
        case wentOn
        /// This much work stays in the history.
        case kept(Duration)

        /// A press that was made on this laptop.
        package struct Press: Hashable, Sendable {
            /// The action that was pressed.
            package let action: Action
            /// The time of the press.
            package let time: SharedInstant

            fileprivate init(_ event: Event) {
                action = event.action
                time = event.time
            }
        }

        /// Returns the actions for people. Presses that were taken back together become one entry.
        ///
        /// - Parameter state: The state of the log, which has the laptops' names.
        static func all(of deeds: [ReconnectActions.Deed], in state: ReplayState) -> [Returned] {
            var tookBack: [Press] = []
            var putBack: [Press] = []
            var others: [Returned] = []
            for deed in deeds {
                switch deed {
                case .tookBack(let event): tookBack.append(Press(event))
                case .putBack(let event): putBack.append(Press(event))
                case .stoppedOwn: others.append(.stoppedOwn)
                case .adopted: others.append(.adopted)
                case .closed(let run): others.append(.closed(of: state.name(of: run.starter)))
                case .joined(let run): others.append(.joined(state.name(of: run.starter)))
                case .setAnew(let key, _): others.append(.setAnew(key))
                case .usedAnew(let profile): others.append(.setAnew("profile '\(profile)'"))
                case .wentOn: others.append(.wentOn)
                case .kept(let work): others.append(.kept(work))
                }
            }
            // A redo works only if nothing else was changed after the presses were taken back. Records of
            // kept work are no obstacle, because the redo takes them back too.
            let canRedo = others.allSatisfy { if case .kept = $0 { true } else { false } }
            return (tookBack.isEmpty ? [] : [.tookBack(tookBack, canRedo: canRedo)])
                + (putBack.isEmpty ? [] : [.putBack(putBack, canRedo: canRedo)]) + others
        }
    }
}
