package import FocusCore
package import FocusSync

/// This device's estimate of shared time, the server's clock (docs/protocol.md, "Time").
///
/// If the server was heard during this boot, the estimate follows the clock that counts since boot, which
/// nobody can set. After a restart it follows the wall clock, corrected by the last known difference. If the
/// server was never heard, or the stored sample makes no sense, it is the wall clock.
package struct SharedClock: Sendable {
    /// The sample to follow, or nil if there is none or it makes no sense.
    private let sample: ClockSample?
    private let clocks: MachineClocks
    private let isFromThisBoot: Bool

    /// The clock that follows `sample`.
    ///
    /// - Parameter sample: The last sample of shared time, or nil if the server was never heard.
    package init(_ sample: ClockSample?, _ clocks: MachineClocks) {
        let isFromThisBoot = sample?.boot != nil && sample?.boot == clocks.boot()
        self.clocks = clocks
        let shared = sample.map { clocks.shared($0, isFromThisBoot: isFromThisBoot) }
        let makesSense = shared?.isSensible == true
        self.sample = makesSense ? sample : nil
        self.isFromThisBoot = isFromThisBoot && makesSense
    }

    /// Returns the present instant.
    package func now() -> SharedInstant {
        guard let sample else { return clocks.wall() }
        return clocks.shared(sample, isFromThisBoot: isFromThisBoot).instant
    }

    /// Shared time minus the wall clock.
    package var fromWall: Duration { now() - clocks.wall() }

    /// The estimate with which a session with the server starts.
    package var estimate: ClockEstimate {
        if let first { return ClockEstimate(offset: sample?.offset ?? first.offset, first: first) }
        return ClockEstimate(offset: SharedReading(now()).offset(from: clocks.sinceBoot()))
    }

    /// The first reading of this boot, or nil if the sample isn't from this boot. Later offsets must stay
    /// near it, so that no server moves the time far in small steps (`FirstReading.admits`). A sample without
    /// a first reading is taken as the first one itself.
    private var first: FirstReading? {
        guard let sample, isFromThisBoot else { return nil }
        return sample.first ?? FirstReading(offset: sample.offset, instant: clocks.sinceBoot())
    }

    /// Returns the sample to store for `estimate`, or nil if the estimate makes no sense. The sample keeps
    /// the stored first reading of this boot if the estimate's offset is near enough to it. Otherwise it gets
    /// the estimate's first reading.
    func sample(of estimate: ClockEstimate) -> ClockSample? {
        let shared = clocks.sinceBoot().shared(estimate.offset)
        guard shared.isSensible else { return nil }
        return ClockSample(
            boot: clocks.boot(), offset: estimate.offset,
            fromWall: shared.instant - clocks.wall(),
            first: first.flatMap { $0.admits(estimate.offset, at: clocks.sinceBoot()) ? $0 : nil }
                ?? estimate.first)
    }

    /// `estimate`, with its `wall` set to the wall clock's present reading.
    package var estimateWithWall: ClockEstimate {
        var estimate = estimate
        estimate.wall = SharedReading(clocks.wall()).offset(from: clocks.sinceBoot())
        return estimate
    }
}

extension MachineClocks {
    /// Returns shared time by `sample`, even if the result makes no sense.
    fileprivate func shared(_ sample: ClockSample, isFromThisBoot: Bool) -> SharedReading {
        isFromThisBoot
            ? sinceBoot().shared(sample.offset) : SharedReading(wall()) + sample.fromWall
    }
}

extension SharedReading {
    /// Whether shared time can have this value. The offsets come from the database, which may hold any value.
    fileprivate var isSensible: Bool { self >= .zero && self < .distantFuture }
}

/// The last measurement of shared time, as stored in the database.
package struct ClockSample: Hashable, Sendable {
    /// The boot in which it was measured, or nil if the system doesn't identify boots.
    package let boot: String?
    /// Shared time minus the time since boot.
    package let offset: Duration
    /// Shared time minus the wall clock when the sample was stored. After a restart, only this is of use.
    package let fromWall: Duration
    /// The first reading of that boot, which limits later offsets. Nil in samples of versions before 1.1.
    package let first: FirstReading?

    /// A sample to store.
    ///
    /// - Parameters:
    ///   - boot: The present boot, or nil if the system doesn't identify boots.
    ///   - offset: Shared time minus the time since boot.
    ///   - fromWall: Shared time minus the wall clock.
    ///   - first: The first reading of this boot.
    package init(boot: String?, offset: Duration, fromWall: Duration, first: FirstReading?) {
        self.boot = boot
        self.offset = offset
        self.fromWall = fromWall
        self.first = first
    }

    /// Returns the sample as bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.string(boot ?? "")
        writer.signed(offset.inMicroseconds)
        writer.signed(fromWall)
        if let first {
            writer.signed(first.offset.inMicroseconds)
            writer.signed(first.instant.microseconds)
        }
        return writer.bytes
    }

    /// Decodes a sample. Throws if `bytes` hold none.
    package init(encoded bytes: [UInt8]) throws(ByteReader.Failure) {
        var reader = ByteReader(bytes)
        let boot = try reader.string()
        let offset = Duration.microseconds(try reader.signed())
        let fromWall = try reader.signedMilliseconds()
        var first: FirstReading?
        if reader.remaining > 0 {
            first = FirstReading(
                offset: .microseconds(try reader.signed()),
                instant: SteadyInstant(microseconds: try reader.signed()))
        }
        try reader.end()
        self.init(boot: boot.isEmpty ? nil : boot, offset: offset, fromWall: fromWall, first: first)
    }
}

/// The time of an occurrence, both in shared time and since boot, so that its age is known even if the wall
/// clock is set.
package struct Moment: Hashable, Sendable {
    /// The boot in which it happened, or nil if the system doesn't identify boots.
    package let boot: String?
    /// The time since that boot.
    package let sinceBoot: SteadyInstant
    /// The time in shared time.
    package let shared: SharedInstant

    /// A stored moment.
    ///
    /// - Parameters:
    ///   - boot: The boot in which it happened, or nil if the system doesn't identify boots.
    ///   - sinceBoot: The time since that boot.
    ///   - shared: The time in shared time.
    package init(boot: String?, sinceBoot: SteadyInstant, shared: SharedInstant) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.shared = shared
    }

    /// The present moment.
    package init(_ clock: SharedClock, _ clocks: MachineClocks) {
        self.init(boot: clocks.boot(), sinceBoot: clocks.sinceBoot(), shared: clock.now())
    }

    /// Returns the moment's age at `now`. Returns nil if the moment lies in the future, because its age is
    /// unknown then.
    package func age(at now: Moment) -> Duration? {
        let isSameBoot = boot != nil && boot == now.boot
        let age = isSameBoot ? now.sinceBoot - sinceBoot : now.shared - shared
        return age >= .zero ? age : nil
    }
}

extension ByteWriter {
    /// Appends a moment.
    mutating func moment(_ moment: Moment) {
        string(moment.boot ?? "")
        signed(moment.sinceBoot.microseconds)
        signed(moment.shared)
    }
}

extension ByteReader {
    /// Reads a moment that `ByteWriter.moment` wrote.
    mutating func moment() throws(Failure) -> Moment {
        let boot = try string()
        return Moment(
            boot: boot.isEmpty ? nil : boot, sinceBoot: SteadyInstant(microseconds: try signed()),
            shared: try signedInstant())
    }
}
