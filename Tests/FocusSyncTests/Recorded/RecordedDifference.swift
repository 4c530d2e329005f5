import FocusSync

/// A frame that today's code doesn't send as it was recorded.
struct RecordedDifference {
    /// The index of the recorded frame. It is the number of entries if today's code sends one more.
    let step: Int
    let said: [UInt8]?
    let recorded: [UInt8]?

    /// Compares two frames. Nil if they are equal, except that a list of spoken versions may be longer than
    /// in the recording.
    init?(step: Int, said: [UInt8]?, recorded: [UInt8]?) {
        if said == recorded { return nil }
        if let said, let recorded, RecordedDifference.speaksMoreVersions(said, than: recorded) { return nil }
        self.step = step
        self.said = said
        self.recorded = recorded
    }

    private static func speaksMoreVersions(_ said: [UInt8], than recorded: [UInt8]) -> Bool {
        switch (message(in: said), message(in: recorded)) {
        case (.greeting(var greeting)?, .greeting(let old)?):
            guard old.versions.allSatisfy(greeting.versions.contains) else { return false }
            greeting.versions = old.versions
            return Message.greeting(greeting).encoded() == recorded
        case (.hello(var hello)?, .hello(let old)?):
            guard old.versions.allSatisfy(hello.versions.contains) else { return false }
            hello.versions = old.versions
            return Message.hello(hello).encoded() == recorded
        default: return false
        }
    }

    private static func message(in frame: [UInt8]) -> Message? {
        var decoder = FrameDecoder()
        decoder.append(frame[...])
        guard let frame = try? decoder.next() else { return nil }
        return try? Message(frame)
    }
}

extension RecordedSession {
    /// Plays the side of all devices with today's code. Returns the frames that differ from the recorded
    /// ones.
    func clientDifferences() throws(RecordedFailure) -> [RecordedDifference] {
        var clients: [String: RecordedClient] = [:]
        var said: [String: [[UInt8]]] = [:]
        var differences: [RecordedDifference] = []
        for (step, entry) in entries.enumerated() where entry.place != "server" {
            if clients[entry.place] == nil { clients[entry.place] = try RecordedClient(entry.place) }
            guard let client = clients[entry.place] else { continue }
            switch entry.step {
            case .event(let words): try client.happens(words, at: entry.time)
            case .toClient(let frame): try client.received(frame, at: entry.time)
            case .toServer(let frame):
                var frames = said[entry.place, default: []][...]
                let difference = RecordedDifference(step: step, said: frames.popFirst(), recorded: frame)
                if let difference { differences.append(difference) }
                said[entry.place] = Array(frames)
            }
            said[entry.place, default: []] += client.takeSaid()
        }
        for frame in said.values.joined() {
            let difference = RecordedDifference(step: entries.count, said: frame, recorded: nil)
            if let difference { differences.append(difference) }
        }
        return differences
    }
}
