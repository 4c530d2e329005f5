import FocusCore

extension Segment {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let replica = try reader.replica()
        let firstSeq: UInt64 = try reader.fixed()
        let chainBefore = try reader.chain()
        let count: UInt32 = try reader.fixed()
        let packed = Array(try reader.raw(reader.remaining))
        try self.init(replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, packed: packed)
        guard count == self.count else { throw .invalidValue }
    }

    func write(to writer: inout ByteWriter) {
        writer.replica(replica)
        writer.fixed(firstSeq)
        writer.chain(chainBefore)
        writer.fixed(UInt32(clamping: count))
        writer.raw(packed)
    }
}

extension Ack {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let replica = try reader.replica()
        let head = try reader.head()
        let code = RefusalCode(rawValue: try reader.byte())
        let after = try reader.wait()
        guard code.rawValue != 0 || after == .zero else { throw .invalidValue }
        self.init(
            replica: replica, head: head,
            stop: code.rawValue == 0 ? nil : Stop(code: code, after: after == .zero ? nil : after))
    }

    func write(to writer: inout ByteWriter) {
        writer.replica(replica)
        writer.head(head)
        writer.byte(stop?.code.rawValue ?? 0)
        writer.wait(stop?.after ?? .zero)
    }
}

extension Refusal {
    init(from reader: inout ByteReader) throws(ByteReader.Failure) {
        let code = RefusalCode(rawValue: try reader.byte())
        let retries = try reader.flag()
        let after = try reader.wait()
        guard retries || after == .zero else { throw .invalidValue }
        self.init(
            code, try reader.text(), retry: retries ? .after(after) : .never, versions: try reader.versions())
    }

    func write(to writer: inout ByteWriter) {
        writer.byte(code.rawValue)
        switch retry {
        case .never:
            writer.flag(false)
            writer.wait(.zero)
        case .after(let wait):
            writer.flag(true)
            writer.wait(wait)
        }
        writer.text(message)
        writer.versions(versions)
    }
}
