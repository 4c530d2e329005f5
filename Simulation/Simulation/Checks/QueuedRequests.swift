import FocusCore
import FocusSync
import FocusWriter

/// Checks the number and size of each connection's unanswered requests at the server's writer and reader.
/// Docs/protocol.md limits them for any client: "it holds 640 KiB of uploads and a message more, or 256
/// uploads, 16 questions, and 16 other requests or as many bytes of them".
struct QueuedRequests {
    private struct Queue {
        /// The size in bytes of each upload at the writer, in order.
        var uploads: [Int] = []
        /// The size in bytes of each other request at the writer, in order.
        var others: [Int] = []
        var questions = 0
        /// The numbers of requests at the reader for events, and for records of epochs.
        var reads = 0
        var records = 0
    }

    private var queues: [ConnectionID: Queue] = [:]

    /// Checks a request that the network's thread hands to the writer.
    ///
    /// - Returns: The excess, or nil if there is none.
    mutating func note(_ request: WriterRequest) -> String? {
        guard case .member(let request) = request else { return nil }
        let connection = request.connection
        switch request.asked {
        case .merge(let segment):
            let uploads = queues[connection]?.uploads ?? []
            queues[connection, default: Queue()].uploads.append(segment.packed.count)
            let bytes = uploads.reduce(0, +)
            guard bytes <= Limits.merging, uploads.count < Limits.uploads else {
                return "an upload besides \(uploads.count) of \(bytes) bytes"
            }
            return nil
        case .group(.roster(let roster)) where roster.count > Limits.rosterPiece:
            return "\(roster.count) devices at once"
        case .group(.epoch(let record)), .group(.successor(let record, _)):
            return noteOther(connection, record.body.count)
        case .group: return noteOther(connection, 0)
        }
    }

    private mutating func noteOther(_ connection: ConnectionID, _ bytes: Int) -> String? {
        let others = queues[connection]?.others ?? []
        queues[connection, default: Queue()].others.append(bytes)
        let before = others.reduce(0, +)
        return others.count < Limits.questions && before <= Limits.merging
            ? nil : "a request besides \(others.count) of \(before) bytes"
    }

    /// Checks a request that the network's thread hands to the reader.
    ///
    /// - Returns: The excess, or nil if there is none.
    mutating func note(_ request: ReaderRequest) -> String? {
        switch request {
        case .chains(_, _, _, let connection):
            queues[connection, default: Queue()].questions += 1
            let count = queues[connection]?.questions ?? 0
            return count <= Limits.questions ? nil : "\(count) questions"
        case .events(_, _, _, _, let connection):
            queues[connection, default: Queue()].reads += 1
            return queues[connection]?.reads ?? 0 <= 1 ? nil : "events are read twice at once"
        case .epochs(let epochs, _, _, let connection):
            guard epochs.count <= Limits.epochPiece else { return "\(epochs.count) records at once" }
            queues[connection, default: Queue()].records += 1
            return queues[connection]?.records ?? 0 <= 1 ? nil : "records are read twice at once"
        case .ended(let connection): queues[connection] = nil
        case .groups, .orders, .taken: break
        }
        return nil
    }

    /// Notes the writer's answers to the network's thread.
    mutating func answered(_ outcomes: [WriterOutcome]) {
        for outcome in outcomes {
            switch outcome {
            case .merged(_, _, _, let connection):
                if queues[connection]?.uploads.isEmpty == false { queues[connection]?.uploads.removeFirst() }
            case .answered(.handled, let connection):
                if queues[connection]?.others.isEmpty == false { queues[connection]?.others.removeFirst() }
            case .ended(_, let connection): queues[connection] = nil
            default: break
            }
        }
    }

    /// Notes the reader's answers to the network's thread.
    mutating func answered(_ answers: [ReaderAnswer]) {
        for answer in answers {
            switch answer {
            case .chains(_, _, let connection): queues[connection]?.questions -= 1
            case .events(_, _, _, let connection): queues[connection]?.reads -= 1
            case .epochs(_, _, let connection): queues[connection]?.records -= 1
            case .failed(let connection): queues[connection] = nil
            case .groups, .orders: break
            }
        }
    }
}
