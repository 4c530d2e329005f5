import TestSupport

/// One direction of a connection: bytes go in, and come out later in the same order, in other pieces; or not.
final class Pipe {
    /// What comes out.
    enum Item {
        case bytes([UInt8])
        /// The other side has ended in good order.
        case end
        /// The connection broke.
        case broken(String)
    }

    private struct Waiting {
        let time: Int64
        let item: Item
    }

    private unowned let world: World
    private let source: SourceID
    private var random: SeededGenerator
    /// How long it takes now.
    private let delays: () -> LinkDelays
    private var waiting: [Waiting] = []
    private var lastArrival: Int64 = 0
    /// The instant at which the wire is free again, where it is slow.
    private var wireFree: Int64 = 0
    private var isPumping = false
    private var isOver = false
    /// After so many more bytes the connection breaks.
    private var bytesLeft: Int?
    /// How many bytes went in and haven't come out.
    private(set) var unsent = 0
    /// When the receiver can take something: nil while it can't.
    var isOpen: () -> Bool = { true }
    var receive: (Item) -> Void = { _ in }
    /// The connection broke on its way.
    var broke: (String) -> Void = { _ in }

    init(_ world: World, _ source: SourceID, seed: UInt64, _ delays: @escaping () -> LinkDelays) {
        self.world = world
        self.source = source
        self.delays = delays
        random = SeededGenerator(seed: seed)
    }

    /// Puts something in.
    func send(_ item: Item) {
        guard !isOver else { return }
        var item = item
        if case .bytes(let bytes) = item {
            if let left = bytesLeft {
                guard bytes.count < left else {
                    // The peer gets what was on its way, and then both learn that it broke.
                    if left > 0 { put(.bytes(Array(bytes.prefix(left)))) }
                    put(.broken("the connection was cut"))
                    isOver = true
                    return broke("the connection was cut")
                }
                bytesLeft = left - bytes.count
            }
            if bytes.count > 1, Int.random(in: 0..<4, using: &random) == 0 {
                let cut = Int.random(in: 1..<bytes.count, using: &random)
                put(.bytes(Array(bytes[..<cut])))
                item = .bytes(Array(bytes[cut...]))
            }
        } else {
            isOver = true
        }
        put(item)
    }

    /// Breaks the connection once so many more bytes have gone in.
    func cut(afterBytes count: Int) { bytesLeft = count }

    /// Takes nothing more in, and gives nothing more out.
    func abandon() {
        isOver = true
        waiting = []
        unsent = 0
        receive = { _ in }
        isOpen = { false }
        broke = { _ in }
    }

    private func put(_ item: Item) {
        let delays = delays()
        var time = world.now + delays.next(using: &random)
        if case .bytes(let bytes) = item {
            unsent += bytes.count
            if let rate = delays.bytesPerSecond {
                wireFree = max(wireFree, world.now) + Int64(bytes.count) * 1_000_000 / rate
                time = max(time, wireFree)
            }
        }
        lastArrival = max(lastArrival, time)
        waiting.append(Waiting(time: lastArrival, item: item))
        pump()
    }

    /// Gives out what can be taken.
    func pump() {
        guard !isPumping, let first = waiting.first else { return }
        isPumping = true
        world.schedule(at: max(first.time, world.now), by: source) { [weak self] in
            guard let self else { return }
            isPumping = false
            guard isOpen(), let first = waiting.first else { return }
            waiting.removeFirst()
            if case .bytes(let bytes) = first.item { unsent -= bytes.count }
            receive(first.item)
            pump()
        }
    }
}

/// How long a link takes.
struct LinkDelays {
    /// Microseconds, one way.
    var least: Int64
    var most: Int64
    /// How often, in a thousand, a piece takes up to a second longer.
    var spikes: Int
    /// Nil where bytes take no time.
    var bytesPerSecond: Int64?

    func next(using random: inout SeededGenerator) -> Int64 {
        var delay = Int64.random(in: least...most, using: &random)
        if spikes > 0, Int.random(in: 0..<1000, using: &random) < spikes {
            delay += Int64.random(in: 0...1_000_000, using: &random)
        }
        return delay
    }
}
