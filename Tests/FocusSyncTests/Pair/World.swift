import FocusCore
import FocusSync
import TestSupport

/// Devices and their server in virtual time. Their lines have delays, low bandwidth and cuts.
///
/// Instants are microseconds. The server's clock shows the world's time plus `epochStart`.
final class World {
    private(set) var now: Int64 = 0
    /// The current instant, as sessions get it.
    var instant: SteadyInstant { SteadyInstant(microseconds: now) }
    var random: SeededGenerator
    private(set) lazy var server = SimulatedServer(self)
    private(set) var devices: [SimulatedDevice] = []
    private var schedule: [(time: Int64, order: Int, action: () -> Void)] = []
    private var scheduled = 0
    /// The chance that a line is cut within a chunk of bytes, in thousandths.
    var cuts = 0
    /// The longest delay of a chunk of bytes, in microseconds.
    var delay: Int64 = 40_000

    /// The server's shared time when the world begins.
    static let epochStart: Int64 = 1_763_661_600_000_000

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// Adds a device to the group.
    @discardableResult
    func addDevice(clockError: Duration = .zero, twinOf twin: SimulatedDevice? = nil) -> SimulatedDevice {
        let device = SimulatedDevice(
            digest(UInt8(devices.count)), twinOf: twin, clockError: clockError, world: self)
        devices.append(device)
        return device
    }

    /// Adds a copy of a device: its key, log and replica, everything except its line.
    func clone(_ device: SimulatedDevice) -> SimulatedDevice { addDevice(twinOf: device) }

    func after(_ wait: Int64, _ action: @escaping () -> Void) {
        schedule.append((now + wait, scheduled, action))
        scheduled += 1
    }

    /// Runs the world for `time` microseconds.
    func run(_ time: Int64) {
        let end = now + time
        while let index = schedule.indices.min(by: {
            (schedule[$0].time, schedule[$0].order) < (schedule[$1].time, schedule[$1].order)
        }), schedule[index].time <= end {
            let next = schedule.remove(at: index)
            now = max(now, next.time)
            next.action()
        }
        now = end
    }

    /// Runs the world for five minutes without cutting lines.
    func calm() {
        cuts = 0
        run(300_000_000)
    }

    /// Whether something with this chance, in thousandths, happens.
    func happens(_ chance: Int) -> Bool { chance > 0 && Int.random(in: 0..<1000, using: &random) < chance }
}

/// One direction of a connection. Chunks arrive in order, each later than the one before.
final class Line {
    private unowned let world: World
    private let deliver: (ArraySlice<UInt8>) -> Void
    private let cut: () -> Void
    private var arrives: Int64 = 0
    /// The number of bytes under way.
    private(set) var unsent = 0
    var isOpen = true

    init(_ world: World, deliver: @escaping (ArraySlice<UInt8>) -> Void, cut: @escaping () -> Void) {
        self.world = world
        self.deliver = deliver
        self.cut = cut
    }

    /// Closes the line after everything has arrived.
    func finish() {
        world.after(max(0, arrives - world.now) + 1) { [self] in if isOpen { cut() } }
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...16_384, using: &world.random))
            rest = rest.dropFirst(chunk.count)
            unsent += chunk.count
            arrives = max(arrives, world.now + Int64.random(in: 100...world.delay, using: &world.random)) + 10
            let isCut = world.happens(world.cuts)
            // A line may be cut at any byte.
            let arrived = isCut ? chunk.prefix(Int.random(in: 0...chunk.count, using: &world.random)) : chunk
            world.after(arrives - world.now) { [self] in
                guard isOpen else { return }
                unsent -= chunk.count
                deliver(arrived)
                if isCut, isOpen { cut() }
            }
        }
    }
}
