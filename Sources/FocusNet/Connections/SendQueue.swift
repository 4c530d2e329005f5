/// What a connection has still to write, in order.
struct SendQueue {
    private var bytes: [UInt8] = []
    /// How many of `bytes` are written.
    private var head = 0

    /// Above this capacity the memory is given back once all is written.
    private static let kept = 2 * 1024

    /// How many bytes wait.
    var count: Int { bytes.count - head }

    var isEmpty: Bool { head == bytes.count }

    /// Puts `more` at the end. Where the queue is empty and `more` is large it is taken as it is, not copied: what
    /// is sent to a thousand connections lies in memory once.
    mutating func append(_ more: [UInt8]) {
        if isEmpty && more.count > SendQueue.kept {
            bytes = more
            head = 0
        } else {
            compact()
            bytes.append(contentsOf: more)
        }
    }

    /// Puts `more` at the end.
    mutating func append(_ more: RawSpan) {
        compact()
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
        if bytes.capacity > SendQueue.kept { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
    }

    /// Forgets everything.
    mutating func removeAll() { drop(count) }

    /// Keeps what is written from piling up in front of what is not; each byte is moved at most once on average.
    private mutating func compact() {
        guard head > bytes.count / 2 else { return }
        bytes.removeFirst(head)
        head = 0
    }
}
