package import FocusCore
import FocusDevice

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
