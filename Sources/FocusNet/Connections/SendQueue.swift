/// The bytes that a connection still has to write, in order.
struct SendQueue {
    private var bytes: [UInt8] = []
    /// The number of bytes at the start of `bytes` that are written already.
    private var head = 0

    /// The number of bytes that wait.
    var count: Int { bytes.count - head }

    var isEmpty: Bool { head == bytes.count }

    /// Appends `more`. If the queue is empty, it keeps the array itself and not a copy. So bytes sent to a
    /// thousand connections are in memory once.
    mutating func append(_ more: [UInt8]) {
        if isEmpty {
            bytes = more
            head = 0
        } else {
            makeRoom(for: more.count)
            bytes.append(contentsOf: more)
        }
    }

    /// Appends a copy of `more`.
    mutating func append(_ more: RawSpan) {
        makeRoom(for: more.byteCount)
        more.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Calls `body` with the first bytes, at most `limit`.
    func withFirst<Result, Failure: Error>(
        _ limit: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let end = head + min(limit, count)
        return try bytes.span.bytes.extracting(head..<end).withUnsafeBytes(body)
    }

    /// Removes the first `number` bytes, which are written.
    mutating func drop(_ number: Int) {
        head += number
        guard isEmpty else { return }
        head = 0
        // An idle connection keeps no memory for the bytes it sent.
        bytes = []
    }

    /// Frees the memory that the waiting bytes don't need, if that is most of it. Call it when the peer takes
    /// no more for now.
    mutating func giveBack() {
        guard bytes.capacity > 2 * count + SendQueue.large else { return }
        bytes = Array(bytes[head...])
        head = 0
    }

    /// Removes all bytes.
    mutating func removeAll() { drop(count) }

    /// The memory in use, in bytes.
    var capacity: Int { bytes.capacity }

    /// The size, in bytes, from which an appended piece gets exactly the memory it needs. This bounds the
    /// memory for a peer that takes nothing.
    private static let large = 16 * 1024

    /// Removes the written bytes before they pile up in front of the waiting ones. With small pieces, each
    /// byte is moved at most once on average.
    private mutating func makeRoom(for count: Int) {
        let isLarge = count >= SendQueue.large
        if isLarge || head > bytes.count / 2 {
            bytes.removeFirst(head)
            head = 0
        }
        if isLarge { bytes.reserveCapacity(bytes.count + count) }
    }
}
