import TestSupport

/// One direction of a connection. Bytes come out later, in the same order but in other pieces. Bytes are lost
/// if the connection breaks.
final class Pipe {
    /// An item that comes out.
    enum Item {
        case bytes([UInt8])
        /// The sender has closed the connection in good order.
        case end
        /// The connection broke.
        case broken(String)
    }

    private struct Waiting {
        let time: Int64
        let item: Item
    }

    private unowned let world: World
    /// The owner of the deliveries that the pipe schedules.
    private let source: SourceID
    private var random: SeededGenerator
    /// The delays at present.
    private let delays: () -> LinkDelays
    private var waiting: [Waiting] = []
    private var lastArrival: Int64 = 0
    /// The instant at which a slow wire is free again.
    private var wireFreeAt: Int64 = 0
    private var isPumping = false
    private var isOver = false
    /// The number of bytes after which the connection breaks; nil if it doesn't.
    private var bytesLeft: Int?
    /// The number of bytes that went in and haven't come out.
    private(set) var unsent = 0
    /// Whether the receiver can take an item now.
    var isOpen: () -> Bool = { true }
    var receive: (Item) -> Void = { _ in }
    /// Called when the network breaks the connection.
    var didBreak: (String) -> Void = { _ in }

    init(_ world: World, _ source: SourceID, seed: UInt64, _ delays: @escaping () -> LinkDelays) {
        self.world = world
        self.source = source
        self.delays = delays
        random = SeededGenerator(seed: seed)
    }

    /// Puts an item in.
    func send(_ item: Item) {
        guard !isOver else { return }
        var item = item
        if case .bytes(let bytes) = item {
            if let left = bytesLeft {
                guard bytes.count < left else {
                    // The receiver gets the bytes on their way, and then both ends learn that the connection
                    // broke.
                    if left > 0 { enqueue(.bytes(Array(bytes.prefix(left)))) }
                    enqueue(.broken("the connection was cut"))
                    isOver = true
                    return didBreak("the connection was cut")
                }
                bytesLeft = left - bytes.count
            }
            if bytes.count > 1, Int.random(in: 0..<4, using: &random) == 0 {
                let cut = Int.random(in: 1..<bytes.count, using: &random)
                enqueue(.bytes(Array(bytes[..<cut])))
                item = .bytes(Array(bytes[cut...]))
            }
        } else {
            isOver = true
        }
        enqueue(item)
    }

    /// Breaks the connection after `count` more bytes have gone in.
    func cut(afterBytes count: Int) { bytesLeft = count }

    /// Accepts no more items, and delivers none.
    func abandon() {
        isOver = true
        waiting = []
        unsent = 0
        receive = { _ in }
        isOpen = { false }
        didBreak = { _ in }
    }

    private func enqueue(_ item: Item) {
        let delays = delays()
        var time = world.now + delays.next(using: &random)
        if case .bytes(let bytes) = item {
            unsent += bytes.count
            if let rate = delays.bytesPerSecond {
                wireFreeAt = max(wireFreeAt, world.now) + Int64(bytes.count) * 1_000_000 / rate
                time = max(time, wireFreeAt)
            }
        }
        lastArrival = max(lastArrival, time)
        waiting.append(Waiting(time: lastArrival, item: item))
        pump()
    }

    /// Delivers the next items when they are due. Stops if the receiver can't take an item then. So this must
    /// be called again when the receiver is ready.
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

/// The delays of a link.
struct LinkDelays {
    /// The shortest and the longest delay in one direction, in microseconds.
    var least: Int64
    var most: Int64
    /// The number of pieces in a thousand that take up to a second longer.
    var spikesPerThousand: Int
    /// The link's rate; nil if bytes take no time.
    var bytesPerSecond: Int64?

    func next(using random: inout SeededGenerator) -> Int64 {
        var delay = Int64.random(in: least...most, using: &random)
        if spikesPerThousand > 0, Int.random(in: 0..<1000, using: &random) < spikesPerThousand {
            delay += Int64.random(in: 0...1_000_000, using: &random)
        }
        return delay
    }
}
