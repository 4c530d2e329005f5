package import FocusCore
package import FocusSync

/// Shared time, the server's clock as this device knows it (docs/protocol.md, "Time").
///
/// Within the boot in which the server was last heard it goes by the clock that counts since boot, which
/// nobody sets. After a restart it goes by the wall clock, less what that was wrong by. Before the server was
/// ever heard it is the wall clock, and also where what is kept makes no sense.
package struct SharedClock: Sendable {
    private let sample: ClockSample?
    private let clocks: MachineClocks
    private let isFromThisBoot: Bool

    /// The clock as a sample tells it.
    ///
    /// - Parameter sample: what was last learnt of shared time; nil where the server was never heard.
    package init(_ sample: ClockSample?, _ clocks: MachineClocks) {
        let isFromThisBoot = sample?.boot != nil && sample?.boot == clocks.boot()
        self.clocks = clocks
        let shared = sample.map { clocks.shared($0, isFromThisBoot: isFromThisBoot) }
        let makesSense = shared?.isSensible == true
        self.sample = makesSense ? sample : nil
        self.isFromThisBoot = isFromThisBoot && makesSense
    }

    /// The present instant.
    package func now() -> SharedInstant {
        guard let sample else { return clocks.wall() }
        return clocks.shared(sample, isFromThisBoot: isFromThisBoot).instant
    }

    /// Shared time less the wall clock.
    package var fromWall: Duration { now() - clocks.wall() }

    /// What a session with the server begins its own estimate with.
    package var estimate: ClockEstimate {
        if let first { return ClockEstimate(offset: sample?.offset ?? first.offset, first: first) }
        return ClockEstimate(offset: SharedReading(now()).offset(from: clocks.sinceBoot()))
    }

    /// The first reading of this boot; nil before it. Of a sample that was kept without it, the offset that it has.
    private var first: FirstReading? {
        guard let sample, isFromThisBoot else { return nil }
        return sample.first ?? FirstReading(offset: sample.offset, instant: clocks.sinceBoot())
    }

    /// What is to be kept of an estimate; nil where it makes no sense. Of two that began in this boot, the first reading that is kept already stays.
    func sample(of estimate: ClockEstimate) -> ClockSample? {
        let shared = clocks.sinceBoot().shared(estimate.offset)
        guard shared.isSensible else { return nil }
        return ClockSample(
            boot: clocks.boot(), offset: estimate.offset,
            fromWall: shared.instant - clocks.wall(),
            first: first.flatMap { $0.admits(estimate.offset, at: clocks.sinceBoot()) ? $0 : nil }
                ?? estimate.first)
    }

    /// As `estimate`, with what the wall clock shows now.
    package var estimateBesideWall: ClockEstimate {
        var estimate = estimate
        estimate.wall = SharedReading(clocks.wall()).offset(from: clocks.sinceBoot())
        return estimate
    }
}

extension MachineClocks {
    /// Shared time as a sample tells it, also where that makes no sense.
    fileprivate func shared(_ sample: ClockSample, isFromThisBoot: Bool) -> SharedReading {
        isFromThisBoot
            ? sinceBoot().shared(sample.offset) : SharedReading(wall()) + sample.fromWall
    }
}

extension SharedReading {
    /// Whether shared time can be this. Offsets come from the database.
    fileprivate var isSensible: Bool { self >= .zero && self < .distantFuture }
}

/// What the device last learnt of shared time, as its database keeps it.
package struct ClockSample: Hashable, Sendable {
    /// The boot in which it was learnt; nil where the system doesn't name boots.
    package let boot: String?
    /// Shared time less the time since boot.
    package let offset: Duration
    /// Shared time less the wall clock when the sample was kept: all that outlives a boot.
    package let fromWall: Duration
    /// The first reading of that boot, by the time since it. Versions before 1.1 didn't keep it: nil.
    package let first: FirstReading?

    /// A sample to be kept.
    ///
    /// - Parameters:
    ///   - boot: nil where the system doesn't name boots.
    ///   - offset: shared time less the time since boot.
    ///   - fromWall: shared time less the wall clock.
    package init(boot: String?, offset: Duration, fromWall: Duration, first: FirstReading?) {
        self.boot = boot
        self.offset = offset
        self.fromWall = fromWall
        self.first = first
    }

    /// The sample as bytes.
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

    /// The sample that `bytes` hold; throws where they are none.
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

/// When something happened, so that its age can be told although clocks are set: in shared time, and since
/// boot.
package struct Moment: Hashable, Sendable {
    /// The boot in which it happened; nil where the system doesn't name boots.
    package let boot: String?
    /// When, by the clock of that boot.
    package let sinceBoot: SteadyInstant
    /// When, in shared time.
    package let shared: SharedInstant

    /// A moment as it was kept.
    ///
    /// - Parameters:
    ///   - boot: nil where the system doesn't name boots.
    ///   - sinceBoot: when, by the clock of that boot.
    package init(boot: String?, sinceBoot: SteadyInstant, shared: SharedInstant) {
        self.boot = boot
        self.sinceBoot = sinceBoot
        self.shared = shared
    }

    /// The present moment.
    package init(_ clock: SharedClock, _ clocks: MachineClocks) {
        self.init(boot: clocks.boot(), sinceBoot: clocks.sinceBoot(), shared: clock.now())
    }

    /// How long ago it was at `now`; nil where it lies ahead, so that nothing is known.
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
    /// Reads what `ByteWriter.moment` wrote.
    mutating func moment() throws(Failure) -> Moment {
        let boot = try string()
        return Moment(
            boot: boot.isEmpty ? nil : boot, sinceBoot: SteadyInstant(microseconds: try signed()),
            shared: try signedInstant())
    }
}
