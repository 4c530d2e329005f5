/// What replay has made of a log up to a point: the fold of docs/timer-rules.md §4. With no events it is the
/// state of an empty log.
///
/// It doesn't depend on the present instant: `TimerState` is what it comes to at one.
package struct ReplayState: Hashable, Sendable {
    /// A session that a device began while it was cut off, with the settings in force when it became one.
    package struct SideRun: Hashable, Sendable {
        /// The run, as its events have brought it: side runs don't move as time passes.
        package internal(set) var run: OpenRun
        /// The settings that it goes by for as long as it is a side run, whatever is set meanwhile.
        package internal(set) var settings: Settings
    }

    /// What a replica's last `device` event says.
    package struct Device: Hashable, Sendable {
        /// What the device is called, cleaned (`Text`).
        package let name: String
        /// The hash of the device's public key, which is who it is; nil where it says none, or what is none.
        package let key: Digest?
        /// The same as it was written, which may be any text.
        package let writtenKey: String?
        /// The public key itself, as it was written.
        package let publicKey: [UInt8]?

        init(name: String, key: String?, publicKey: [UInt8]?) {
            self.name = name
            self.key = key.flatMap(Digest.init(hexadecimal:))
            writtenKey = key
            self.publicKey = publicKey
        }
    }

    /// An event that changed something.
    package struct Change: Hashable, Sendable {
        /// The event's name, which an undo of it names.
        package let id: EventID
        /// The event's place in replay order.
        package let position: Position
    }

    /// The settings in force after the last event.
    package internal(set) var settings = Settings()
    /// The run that every device shows, as its events have brought it.
    package internal(set) var current: OpenRun?
    /// The other open runs, by their ids.
    package internal(set) var sideRuns: [SideRun] = []
    /// What every replica's last `device` event says, of those that have one. A device may be here under several
    /// replicas.
    package internal(set) var devices: [ReplicaID: Device] = [:]
    /// What was said last of whether a key is shut out, of those of which it was said.
    package internal(set) var rulings: [Digest: Ruling] = [:]
    /// The latest effective instant so far: `A` in the rules.
    package internal(set) var latestEffect = SharedInstant.zero
    /// The run that was current last, whether it still is or not.
    package internal(set) var lastRun: RunID?
    /// The last event that somebody pressed, that changed something, and that isn't taken back.
    package internal(set) var lastChange: Change?
    /// The position of the last event, taken back or not; nil where there was none.
    package internal(set) var position: Position?
    /// How many events there were, taken back or not.
    package internal(set) var eventCount: UInt64 = 0
    /// How many of them were of a kind that this version doesn't know.
    package internal(set) var unknownCount: UInt64 = 0

    /// The state of an empty log.
    package init() {}

    /// The open run of this id, current or not.
    package func openRun(_ id: RunID) -> OpenRun? {
        place(of: id).flatMap { openRun(in: $0) }
    }
}

// MARK: - Where an open run is kept

extension ReplayState {
    /// Where an open run is kept; good until the state changes.
    enum Place {
        case current
        /// An index of `sideRuns`.
        case side(Int)
    }

    /// Cost: logarithmic in the count of side runs.
    func place(of id: RunID) -> Place? {
        if current?.id == id { return .current }
        let index = sideRunIndex(notBefore: id)
        return index < sideRuns.count && sideRuns[index].run.id == id ? .side(index) : nil
    }

    func openRun(in place: Place) -> OpenRun? {
        switch place {
        case .current: current
        case .side(let index): sideRuns[index].run
        }
    }

    /// Changes the run there where it stands: copying one would cost more than most changes.
    mutating func change<Result>(_ place: Place, _ body: (inout OpenRun) -> Result?) -> Result? {
        switch place {
        case .current: return current?.change(body)
        case .side(let index): return sideRuns[index].run.change(body)
        }
    }

    /// The settings that the run there goes by.
    func settings(in place: Place) -> Settings {
        switch place {
        case .current: settings
        case .side(let index): sideRuns[index].settings
        }
    }

    mutating func replace(_ run: OpenRun, in place: Place) {
        switch place {
        case .current: current = run
        case .side(let index): sideRuns[index].run = run
        }
    }

    mutating func remove(_ place: Place) {
        switch place {
        case .current: current = nil
        case .side(let index): sideRuns.remove(at: index)
        }
    }

    /// Makes a run a side run, which keeps the settings in force now.
    mutating func insertSideRun(_ run: OpenRun) {
        sideRuns.insert(SideRun(run: run, settings: settings), at: sideRunIndex(notBefore: run.id))
    }

    private func sideRunIndex(notBefore id: RunID) -> Int {
        var low = 0
        var high = sideRuns.count
        while low < high {
            let middle = low + (high - low) / 2
            if sideRuns[middle].run.id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension OpenRun {
    fileprivate mutating func change<Result>(_ body: (inout OpenRun) -> Result?) -> Result? { body(&self) }
}

/// What the log says last of whether the device of a key is shut out of the group.
package struct Ruling: Hashable, Sendable {
    /// True if a `revoke` came last, false if a `readmit` did, which counts only after a `revoke`.
    package let isRevoked: Bool
    /// The event that says so: who wrote it, and when.
    package let position: Position
}
