import FocusCore
import FocusServerStore
import FocusSync

/// The rates of devices and groups, and the sizes of new events that the store hasn't counted yet. The
/// charges of the present part can be undone.
///
/// The store counts a size by adding it to the device's total (`addBrought`). Each device costs the write of
/// a row, so this is done once a second. A killed server loses the last sizes, which is harmless: the totals
/// are only for people.
struct UploadCharges {
    private let limits: ServerLimits
    /// The rates of devices and groups. A failed batch resets them.
    private(set) var rates: UploadRates
    /// The charges of this batch, to take them back after a failure.
    private var charges: [UploadRates.Charge] = []
    /// The number of charges when the present part began.
    private var start = 0
    /// The sizes by the devices that uploaded them.
    private var uncounted: [Digest: GroupSize] = [:]
    /// The sizes that this batch adds.
    private var counts: [Digest: GroupSize] = [:]
    /// The sizes that the present part adds.
    private var countsOfPart: [Digest: GroupSize] = [:]
    /// The last time at which the store had counted all sizes; nil before the first one.
    private var lastCount: SteadyInstant?

    /// The maximum number of devices with sizes that one batch stores.
    private static let countsAtOnce = 256

    init(_ limits: ServerLimits) {
        self.limits = limits
        rates = UploadRates(limits)
    }

    /// Whether the store has counted all new events.
    var isAllCounted: Bool { uncounted.isEmpty }

    /// Charges a device or a group for work.
    mutating func charge(_ work: (inout UploadRates) -> UploadRates.Charge) { charges.append(work(&rates)) }

    /// Counts new events of a device.
    mutating func count(_ size: GroupSize, of device: Digest) {
        countsOfPart[device, default: GroupSize()].add(size)
    }

    /// Removes the buckets of devices and groups that haven't written for a while.
    mutating func forgetFullBuckets(at now: SteadyInstant) { rates.forgetFull(at: now) }

    /// Returns the sizes of some devices for the store to count, if that is due.
    ///
    /// - Parameter isToCount: Whether sizes are due even if the last count is less than a second ago.
    func due(_ isToCount: Bool, at now: SteadyInstant) -> [(device: Digest, size: GroupSize)] {
        guard isToCount || lastCount.map({ now - $0 >= .seconds(1) }) ?? true else { return [] }
        // All servers use this order, which prevents deadlocks.
        return uncounted.merging(counts) { $0 + $1 }.sorted { $0.key.precedes($1.key) }
            .prefix(UploadCharges.countsAtOnce).map { ($0.key, $0.value) }
    }

    mutating func beginPart() { start = charges.count }

    /// Ends a part that is kept: its sizes now belong to the batch.
    mutating func commitPart() { counts.merge(exchange(&countsOfPart, with: [:])) { $0 + $1 } }

    mutating func rollBackPart() {
        for charge in charges[start...].reversed() { rates.takeBack(charge) }
        charges.removeSubrange(start...)
        countsOfPart = [:]
    }

    /// Ends a batch that was stored at `now`.
    ///
    /// - Parameter counted: The devices from `due` with sizes that the store has counted in this batch. Nil
    ///   if none were due, or if counting failed: then the sizes stay for a later batch.
    mutating func commit(_ counted: [Digest]?, at now: SteadyInstant) {
        uncounted.merge(exchange(&counts, with: [:])) { $0 + $1 }
        for device in counted ?? [] { uncounted[device] = nil }
        if counted != nil, uncounted.isEmpty { lastCount = now }
        charges = []
    }

    /// Ends a batch that failed.
    mutating func rollBack() {
        rates = UploadRates(limits)
        (charges, counts, countsOfPart) = ([], [:], [:])
    }
}
