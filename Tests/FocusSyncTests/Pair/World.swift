import FocusCore
import FocusSync
import TestSupport

/// Devices and their server in virtual time: lines with delay, little bandwidth and cuts.
///
/// Instants are microseconds. The server's clock shows the same as the world's, plus `epochStart`.
final class World {
    private(set) var now: Int64 = 0
    /// The same, as sessions are told it.
    var instant: SteadyInstant { SteadyInstant(microseconds: now) }
    var random: SeededGenerator
    private(set) lazy var server = SimulatedServer(self)
    private(set) var devices: [SimulatedDevice] = []
    private var schedule: [(time: Int64, order: Int, action: () -> Void)] = []
    private var scheduled = 0
    /// How likely a chunk of bytes is where its line is cut, in thousandths.
    var cuts = 0
    /// The longest delay of a chunk of bytes.
    var delay: Int64 = 40_000

    /// The server's shared time at the world's beginning.
    static let epochStart: Int64 = 1_763_661_600_000_000

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A new device of the group.
    @discardableResult
    func addDevice(clockError: Duration = .zero, twinOf twin: SimulatedDevice? = nil) -> SimulatedDevice {
        let device = SimulatedDevice(
            digest(UInt8(devices.count)), twinOf: twin, clockError: clockError, world: self)
        devices.append(device)
        return device
    }

    /// A device that is the same as another one: its key, its log, its replica, everything but its line.
    func clone(_ device: SimulatedDevice) -> SimulatedDevice { addDevice(twinOf: device) }

    func after(_ wait: Int64, _ action: @escaping () -> Void) {
        schedule.append((now + wait, scheduled, action))
        scheduled += 1
    }

    /// Lets so much time pass.
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

    /// Lets the lines be whole for five minutes.
    func calm() {
        cuts = 0
        run(300_000_000)
    }

    /// Whether something with this chance, in thousandths, happens.
    func happens(_ chance: Int) -> Bool { chance > 0 && Int.random(in: 0..<1000, using: &random) < chance }
}

/// One direction of a connection: chunks arrive in order, each a little later.
final class Line {
    private unowned let world: World
    private let deliver: (ArraySlice<UInt8>) -> Void
    private let cut: () -> Void
    private var arrives: Int64 = 0
    /// The bytes under way.
    private(set) var unsent = 0
    var isOpen = true

    init(_ world: World, deliver: @escaping (ArraySlice<UInt8>) -> Void, cut: @escaping () -> Void) {
        self.world = world
        self.deliver = deliver
        self.cut = cut
    }

    /// Closes the line once everything has arrived.
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
            // A line may break at any byte.
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
