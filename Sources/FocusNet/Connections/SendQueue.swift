/// What a connection has still to write, in order.
struct SendQueue {
    private var bytes: [UInt8] = []
    /// How many of `bytes` are written.
    private var head = 0

    /// How many bytes wait.
    var count: Int { bytes.count - head }

    var isEmpty: Bool { head == bytes.count }

    /// Puts `more` at the end. Where the queue is empty it is taken as it is, not copied: what is sent to a thousand
    /// connections lies in memory once.
    mutating func append(_ more: [UInt8]) {
        if isEmpty {
            bytes = more
            head = 0
        } else {
            makeRoom(for: more.count)
            bytes.append(contentsOf: more)
        }
    }

    /// Puts `more` at the end.
    mutating func append(_ more: RawSpan) {
        makeRoom(for: more.byteCount)
        more.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Lends the first bytes, at most `limit`, to `body`.
    func withFirst<Result, Failure: Error>(
        _ limit: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let end = head + min(limit, count)
        return try bytes.span.bytes.extracting(head..<end).withUnsafeBytes(body)
    }

    /// The first `number` bytes, which `withFirst` lent, are written.
    mutating func drop(_ number: Int) {
        head += number
        guard isEmpty else { return }
        head = 0
        // An idle connection takes no memory for what it sent.
        bytes = []
    }

    /// Gives back the memory that isn't needed for what waits, where that is most of it. To be called where the peer takes
    /// no more for now.
    mutating func giveBack() {
        guard bytes.capacity > 2 * count + SendQueue.large else { return }
        bytes = Array(bytes[head...])
        head = 0
    }

    /// Forgets everything.
    mutating func removeAll() { drop(count) }

    /// How much memory is taken, in bytes.
    var capacity: Int { bytes.capacity }

    /// From so many bytes on, what is put at the end takes the memory that it needs and no more: a peer that takes
    /// nothing is the reason.
    private static let large = 16 * 1024

    /// Keeps what is written from piling up in front of what is not; of small pieces, each byte is moved at most once on
    /// average.
    private mutating func makeRoom(for count: Int) {
        let isLarge = count >= SendQueue.large
        if isLarge || head > bytes.count / 2 {
            bytes.removeFirst(head)
            head = 0
        }
        if isLarge { bytes.reserveCapacity(bytes.count + count) }
    }
}
