import FocusCore

extension SyncNotice {
    /// One thing that a device did by itself on returning, for the person to read.
    package enum Returned: Hashable, Sendable {
        case stoppedOwn
        case adopted
        /// The session of this name's laptop was ended as of when this laptop's own began.
        case closed(of: String)
        /// The laptop of this name began a session in the same moment.
        case joined(String)
        /// So many presses. They can be restored where nothing was changed after that.
        case tookBack(count: Int, canRedo: Bool = true)
        /// So many undos.
        case putBack(count: Int, canRedo: Bool = true)
        case setAnew(String)
        case wentOn
        case kept(milliseconds: Int64)

        /// What is to be read of what was done: presses that were taken back together make one sentence.
        ///
        /// - Parameter state: the replay of the log, which names the laptops.
        static func all(of deeds: [Returning.Deed], in state: ReplayState) -> [Returned] {
            var tookBack = 0
            var putBack = 0
            var others: [Returned] = []
            for deed in deeds {
                switch deed {
                case .tookBack: tookBack += 1
                case .putBack: putBack += 1
                case .stoppedOwn: others.append(.stoppedOwn)
                case .adopted: others.append(.adopted)
                case .closed(let run): others.append(.closed(of: state.name(of: run.starter)))
                case .joined(let run): others.append(.joined(state.name(of: run.starter)))
                case .setAnew(let key, _): others.append(.setAnew(key))
                case .wentOn: others.append(.wentOn)
                case .kept(let milliseconds): others.append(.kept(milliseconds: milliseconds))
                }
            }
            let canRedo = others.allSatisfy { if case .kept = $0 { true } else { false } }
            return (tookBack > 0 ? [.tookBack(count: tookBack, canRedo: canRedo)] : [])
                + (putBack > 0 ? [.putBack(count: putBack, canRedo: canRedo)] : []) + others
        }

        private static func hint(_ canRedo: Bool, _ count: Int) -> String {
            canRedo ? "; 'focus redo' restores \(count == 1 ? "it" : "them")" : ""
        }

        /// The sentence.
        var text: String {
            switch self {
            case .stoppedOwn:
                "The session begun here while offline was ended, as the others have one; its time is in the history."
            case .adopted: "The session begun here while offline is everyone's now."
            case .closed(let name):
                "Nobody had been at \(name)'s session since then, so it was ended as of when this one began; 'focus undo' brings it back."
            case .joined(let name): "\(name) started first: you are in that session."
            case .tookBack(let count, let canRedo):
                "\(count == 1 ? "A press made here while offline was" : "\(count) presses made here while offline were") taken back, as others pressed since\(Returned.hint(canRedo, count))."
            case .putBack(let count, let canRedo):
                "\(count == 1 ? "An undo made here while offline was" : "\(count) undos made here while offline were") taken back, as others went on since\(Returned.hint(canRedo, count))."
            case .setAnew(let key): "The setting \(key) changed here while offline holds for all from now on."
            case .wentOn: "The session goes on here, as the others have none."
            case .kept(let milliseconds):
                "\(lengthText(milliseconds)) worked here meanwhile, of which the session knows nothing, stays in the history."
            }
        }
    }
}
