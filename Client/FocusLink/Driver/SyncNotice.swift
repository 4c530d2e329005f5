package import FocusCore
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
    /// The server at this address sends more that no key opens than this device keeps.
    case unreadableExcess(by: String)
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
        case .putAside, .damaged, .stopped, .unreadableExcess, .unlisted, .clockJumped, .clockNotSure,
            .keyChanged, .newcomers,
            .latecomers,
            .keyUnchanged, .badEpochs, .woke(.paused), .tookAlong, .leftBehind:
            false
        }
    }

    /// Whether it is about changes that the server hasn't taken.
    package var isAboutUnsent: Bool {
        switch self {
        case .stopped, .clockNotSure: true
        default: false
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

extension SyncNotice {
    /// One thing that a device did by itself on returning, for the person to read.
    package enum Returned: Hashable, Sendable {
        case stoppedOwn
        case adopted
        /// The session of this name's laptop was ended as of when this laptop's own began.
        case closed(of: String)
        /// The laptop of this name began a session in the same moment.
        case joined(String)
        /// These presses. They can be restored where nothing was changed after that.
        case tookBack([Press], canRedo: Bool = true)
        /// These undos.
        case putBack([Press], canRedo: Bool = true)
        case setAnew(String)
        case wentOn
        /// So much work stays in the history.
        case kept(Duration)

        /// A press that was made here.
        package struct Press: Hashable, Sendable {
            /// What was pressed.
            package let action: Action
            /// How long ago it was made.
            package let ago: Duration

            fileprivate init(_ event: Event, at now: SharedInstant) {
                action = event.action
                ago = max(.zero, now - event.time)
            }
        }

        /// What is to be read of what was done: presses that were taken back together make one sentence.
        ///
        /// - Parameters:
        ///   - state: the replay of the log, which names the laptops.
        static func all(of deeds: [Returning.Deed], in state: ReplayState, at now: SharedInstant)
            -> [Returned]
        {
            var tookBack: [Press] = []
            var putBack: [Press] = []
            var others: [Returned] = []
            for deed in deeds {
                switch deed {
                case .tookBack(let event): tookBack.append(Press(event, at: now))
                case .putBack(let event): putBack.append(Press(event, at: now))
                case .stoppedOwn: others.append(.stoppedOwn)
                case .adopted: others.append(.adopted)
                case .closed(let run): others.append(.closed(of: state.name(of: run.starter)))
                case .joined(let run): others.append(.joined(state.name(of: run.starter)))
                case .setAnew(let key, _): others.append(.setAnew(key))
                case .wentOn: others.append(.wentOn)
                case .kept(let work): others.append(.kept(work))
                }
            }
            let canRedo = others.allSatisfy { if case .kept = $0 { true } else { false } }
            return (tookBack.isEmpty ? [] : [.tookBack(tookBack, canRedo: canRedo)])
                + (putBack.isEmpty ? [] : [.putBack(putBack, canRedo: canRedo)]) + others
        }
    }
}
