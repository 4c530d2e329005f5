/// The state after replaying a log up to some position: the fold of docs/timer-rules.md §4. With no events it
/// is the state of an empty log.
///
/// It doesn't depend on the present instant. `TimerState` is the state at an instant.
package struct ReplayState: Hashable, Sendable {
    /// An open run besides the current one, with the settings in force when it became a side run.
    package struct SideRun: Hashable, Sendable {
        /// The run in the state after its last event. Side runs don't change as time passes.
        package internal(set) var run: OpenRun
        /// The settings that the run uses as long as it is a side run. Later changes of settings don't affect
        /// it.
        package internal(set) var settings: Settings
    }

    /// The content of a replica's last `device` event.
    package struct Device: Hashable, Sendable {
        /// The name of the device, cleaned (`Text`).
        package let name: String
        /// The hash of the device's public key, which is its identity. It is nil if the event has no hash, or
        /// an invalid one.
        package let key: Digest?
        /// The hash in the form in which it was written, which may be any text.
        package let writtenKey: String?
        /// The public key in the form in which it was written, or nil if the event has none.
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
    /// The saved profiles, ordered by name.
    package internal(set) var profiles: [Profile] = []
    /// The run that every device shows, in the state after its last event. It is nil if there is none.
    package internal(set) var current: OpenRun?
    /// The other open runs, ordered by id.
    package internal(set) var sideRuns: [SideRun] = []
    /// The content of the last `device` event of each replica that has one. A device may be here under
    /// several replicas.
    package internal(set) var devices: [ReplicaID: Device] = [:]
    /// The last ruling on each key that has one.
    package internal(set) var rulings: [Digest: Ruling] = [:]
    /// The last word on the laptop that runs the group's server, or nil if there is none.
    package internal(set) var server: ServerSetting?
    /// The latest effective instant so far: `A` in the rules.
    package internal(set) var latestEffect = SharedInstant.zero
    /// The last run that was current, whether it still is or not. It is nil if no run ever was.
    package internal(set) var lastRun: RunID?
    /// The last event that changed something and isn't taken back, or nil if there is none. `device`,
    /// `revoke`, `readmit`, and records that weren't added by hand don't count.
    package internal(set) var lastChange: Change?
    /// The position of the last event, taken back or not, or nil if there was none.
    package internal(set) var position: Position?
    /// The number of events, taken back or not.
    package internal(set) var eventCount: UInt64 = 0
    /// The number of events of a kind that this version doesn't know.
    package internal(set) var unknownCount: UInt64 = 0

    /// Creates the state of an empty log.
    package init() {}

    /// Returns the open run with this id, current or not, or nil if there is none.
    package func openRun(_ id: RunID) -> OpenRun? {
        place(of: id).flatMap { openRun(in: $0) }
    }
}

// MARK: - Places of open runs

extension ReplayState {
    /// The place of an open run in the state. It is valid until the state changes.
    enum Place {
        case current
        /// An index of `sideRuns`.
        case side(Int)
    }

    /// Returns the place of the open run with this id, or nil. Cost: logarithmic in the number of side runs.
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

    /// Changes the run at this place without a copy, which would cost more than most changes.
    ///
    /// - Returns: The result of `body`, or nil if there is no run at this place.
    mutating func change<Result>(_ place: Place, _ body: (inout OpenRun) -> Result?) -> Result? {
        switch place {
        case .current: return current?.change(body)
        case .side(let index): return sideRuns[index].run.change(body)
        }
    }

    /// Returns the settings that the run at this place uses.
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

/// The log's last word on a key: whether its device is shut out of the group.
package struct Ruling: Hashable, Sendable {
    /// Whether the last event that counts for the key is a `revoke`. If not, it is a `readmit`, which counts
    /// only after a `revoke`.
    package let isRevoked: Bool
    /// The position of that event, which tells who wrote it and when.
    package let position: Position
}
