/// The encoding of a checkpoint. A checkpoint is a cache. If this version can't read it, the log is replayed
/// instead.
extension ReplayState {
    /// The first byte of an encoding. It changes if the encoding or the meaning of a log changes.
    private static let version: UInt8 = 10

    /// Returns the state as bytes. Cost: linear in the side runs, devices and rulings.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(ReplayState.version)
        writer.optional(position) { $0.position($1) }
        writer.varint(eventCount)
        writer.varint(unknownCount)
        writer.signed(latestEffect)
        writer.settings(settings)
        writer.varint(UInt64(profiles.count))
        for profile in profiles {
            writer.string(profile.name)
            writer.lengths(profile.lengths)
        }
        writer.optional(lastRun) { $0.run($1) }
        writer.optional(lastChange) { writer, change in
            writer.fixed(change.id.replica.rawValue)
            writer.varint(change.id.seq)
            writer.fixed(change.position.stamp.rawValue)
        }
        writer.optional(current) { $0.openRun($1) }
        writer.varint(UInt64(sideRuns.count))
        for side in sideRuns {
            writer.openRun(side.run)
            writer.settings(side.settings)
        }
        writer.varint(UInt64(devices.count))
        for (replica, device) in devices.sorted(by: { $0.key < $1.key }) {
            writer.fixed(replica.rawValue)
            writer.string(device.name)
            writer.optional(device.writtenKey) { $0.string($1) }
            writer.optional(device.publicKey) { $0.sized($1) }
        }
        writer.varint(UInt64(rulings.count))
        for (key, ruling) in rulings.sorted(by: { $0.value.position < $1.value.position }) {
            writer.raw(key.bytes)
            writer.flag(ruling.isRevoked)
            writer.position(ruling.position)
        }
        writer.optional(server) { writer, server in
            writer.signed(server.key)
            writer.fixed(server.replica.rawValue)
        }
        return writer.bytes
    }

    /// Creates the state from its bytes. Throws if they aren't one whole checkpoint of this version.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == ReplayState.version else { throw .invalidValue }
        self.init()
        if try reader.flag() { position = try reader.position() }
        eventCount = try reader.eventCount()
        unknownCount = try reader.eventCount()
        latestEffect = try reader.naturalInstant()
        settings = try reader.settings()
        let profileCount = try reader.varint()
        for _ in 0..<profileCount {
            let name = try reader.string()
            let lengths = try reader.lengths()
            guard Profile.name(name) != nil, lengths.isInRange else { throw .invalidValue }
            profiles.save(lengths, named: name)
        }
        guard UInt64(profiles.count) == profileCount else { throw .invalidValue }
        if try reader.flag() { lastRun = try reader.run() }
        if try reader.flag() {
            let replica = ReplicaID(rawValue: try reader.fixed())
            let id = EventID(replica: replica, seq: try reader.varint())
            let position = Position(stamp: Stamp(rawValue: try reader.fixed()), replica: replica)
            lastChange = Change(id: id, position: position)
        }
        if try reader.flag() { current = try reader.openRun() }
        for _ in 0..<(try reader.varint()) {
            let run = try reader.openRun()
            sideRuns.append(SideRun(run: run, settings: try reader.settings()))
        }
        for _ in 0..<(try reader.varint()) {
            let replica = ReplicaID(rawValue: try reader.fixed())
            let name = try reader.string()
            devices[replica] = Device(
                name: name, key: try reader.flag() ? try reader.string() : nil,
                publicKey: try reader.flag() ? Array(try reader.sized()) : nil)
        }
        for _ in 0..<(try reader.varint()) {
            let key = try reader.digest()
            rulings[key] = Ruling(isRevoked: try reader.flag(), position: try reader.position())
        }
        if try reader.flag() {
            server = ServerSetting(key: try reader.signed(), replica: ReplicaID(rawValue: try reader.fixed()))
        }
        try reader.end()
    }
}

extension ByteWriter {
    /// Appends 1 and the value, or only 0 if it is nil.
    fileprivate mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    fileprivate mutating func settings(_ settings: Settings) {
        for key in SettingKey.allCases { signed(settings[key]) }
    }

    fileprivate mutating func openRun(_ run: OpenRun) {
        self.run(run.id)
        byte(UInt8(Activity.allCases.firstIndex(of: run.phase.activity) ?? 0))
        signed(run.phase.ordinal)
        signed(run.phase.startedAt)
        signed(run.phase.planned)
        spans(run.phase.spans)
        switch run.clock {
        case .running(let since, let endsAt):
            byte(0)
            signed(since)
            signed(endsAt)
        case .paused(let remaining):
            byte(1)
            signed(remaining)
        }
        signed(run.completedCycles)
        string(run.label)
        signed(run.anchor)
        signed(run.touchedAt)
        flag(run.startedOffline)
    }
}

extension ByteReader {
    fileprivate mutating func settings() throws(Failure) -> Settings {
        var settings = Settings()
        for key in SettingKey.allCases {
            let value = try signed()
            guard key.range.contains(value) else { throw .invalidValue }
            settings.set(key, to: value)
        }
        return settings
    }

    fileprivate mutating func openRun() throws(Failure) -> OpenRun {
        let id = try run()
        let activity = Int(try byte())
        guard activity < Activity.allCases.count else { throw .invalidValue }
        let (ordinal, startedAt) = (try natural(), try naturalInstant())
        // Up to a day, plus the overtime that passed before time was added.
        let planned = try length(inMilliseconds: 1000..<ByteReader.naturals.upperBound)
        let phase = Phase(
            activity: Activity.allCases[activity], ordinal: ordinal, startedAt: startedAt,
            plannedEnd: startedAt + planned, spans: try spans())
        let clock: OpenRun.Clock
        switch try byte() {
        case 0: clock = .running(since: try naturalInstant(), endsAt: try naturalInstant())
        case 1: clock = .paused(remaining: try timeLeft())
        default: throw .invalidValue
        }
        return OpenRun(
            id: id, phase: phase, clock: clock, completedCycles: try natural(), label: try string(),
            anchor: try naturalInstant(), touchedAt: try naturalInstant(), startedOffline: try flag())
    }
}
