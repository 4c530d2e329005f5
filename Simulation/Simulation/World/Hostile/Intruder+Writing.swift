import FocusCore
import FocusSeal
import FocusServerCore
import FocusServerStore
import FocusSync
import TestSupport

// The intruder's uploads, epochs and requests.
extension Intruder {
    func uploadBelowTheHead(on line: HostileLine) {
        let replica = ReplicaID(rawValue: 0xF00D)
        var author = authors[replica] ?? HostileAuthor(replica, group)
        guard let segment = author.write(number(20...800), at: server.clock.shared, epoch) else {
            return
        }
        authors[replica] = author
        line.say(.upload(segment))
        guard let part = segment.prefix(through: segment.firstSeq + UInt64(segment.count / 2)) else { return }
        trace("uploads \(segment.count) events, and a part of them again and again")
        for _ in 0..<number(10...300) { line.say(.upload(part)) }
    }

    func nameEpochs(on line: HostileLine) {
        trace("names epochs, and fills those that it has named")
        for epoch in epochs.shuffled(using: &random).prefix(20) {
            line.ask(
                .epoch(
                    EpochRecord(
                        epoch: epoch, predecessor: self.epoch,
                        body: random.bytes(number(1...HostileLine.longestRecord)))
                ))
        }
        for _ in 0..<number(1...60) {
            let epoch = EpochID(rawValue: random.next())
            let predecessor = Bool.random(using: &random) ? epochs.randomElement(using: &random) : nil
            epochs.append(epoch)
            line.ask(.epoch(EpochRecord(epoch: epoch, predecessor: predecessor ?? self.epoch, body: [])))
        }
        if Bool.random(using: &random) { writeUnderOthers(on: line) }
    }

    func proposeSuccessors(on line: HostileLine) {
        trace("makes successors")
        for _ in 0..<number(1...20) {
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()),
                predecessor: epochs.randomElement(using: &random) ?? epoch,
                body: random.bytes(number(0...2_000)))
            line.ask(.successor(record, discounting: Array(epochs.prefix(number(0...64)))))
        }
    }

    func bringReplicas(on line: HostileLine) {
        trace("brings replicas")
        for _ in 0..<number(1...400) {
            var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
            if let segment = author.write(1, at: server.clock.shared, epoch) {
                line.say(.upload(segment))
            }
        }
    }

    /// Writes under an epoch that the server was told of, one that it wasn't told of, or both.
    func writeUnderOthers(on line: HostileLine) {
        trace("writes under other epochs")
        for _ in 0..<number(1...20) {
            let named = epochs.randomElement(using: &random) ?? epoch
            let unknown = EpochID(rawValue: random.next())
            let first = Bool.random(using: &random) ? named : unknown
            var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
            for epoch in [first, named, unknown] {
                if let segment = author.write(number(1...3), at: server.clock.shared, epoch) {
                    line.say(.upload(segment))
                }
            }
        }
    }

    /// Uploads an event with a body of a length that no sealed body has. The server then closes the
    /// connection.
    func writeBodiesOfAnyLength(on line: HostileLine) {
        var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
        guard let segment = author.write(1, at: server.clock.shared, epoch) else { return }
        let lengths = [0, 1, 15, 16, 32, 79, 81, 112, 4_000, 4_047, 4_049, 4_112, 60_000]
        let length = lengths.randomElement(using: &random) ?? 0
        trace("writes a body of \(length) bytes")
        // The body comes last in the message, right after its length.
        let head = Message.upload(segment).encoded().dropFirst(Frame.lengthBytes)
            .dropLast(SealedEvent.bodyMinimum + 2)
        let frame =
            head + withUnsafeBytes(of: UInt16(length).bigEndian, Array.init) + random.bytes(length)
        line.isInsideFrame = true
        line.say(bytes: withUnsafeBytes(of: UInt32(frame.count).bigEndian, Array.init) + frame)
    }

    /// Sends frames without their ends, on all connections.
    func holdFrames() {
        trace("holds frames back")
        for line in connections.all.shuffled(using: &random).prefix(number(1...24)) {
            line.isInsideFrame = true
            let length = UInt32(number(1_000...60_000))
            line.say(
                bytes: withUnsafeBytes(of: length.bigEndian) { Array($0) } + [MessageType.upload.rawValue])
            line.say(bytes: random.bytes(Int(length) - 10))
        }
    }

    /// Asks for the whole log, and reads nothing.
    func askForAll() {
        guard let line = connect(keys[0], reads: false) else { return }
        trace("asks for all, and takes nothing")
        for replica in authors.keys.sorted() { line.say(.want(replica, after: 0)) }
    }

    func stampAhead(on line: HostileLine) {
        trace("stamps ahead")
        let replica = ReplicaID(rawValue: 0xAEAD)
        for _ in 0..<number(1...60) {
            var author = authors[replica] ?? HostileAuthor(replica, group)
            guard
                let segment = author.write(
                    1, at: max(server.clock.shared, author.time) + .seconds(119), epoch)
            else {
                return
            }
            // A refused upload leaves a gap. The intruder guesses whether the server took this one.
            if Bool.random(using: &random) { authors[replica] = author }
            line.say(.upload(segment))
        }
    }

    func askForChains(on line: HostileLine) {
        trace("asks for chains")
        let replicas = authors.keys.sorted() + [ReplicaID(rawValue: 1)]
        for _ in 0..<number(1...200) {
            let replica = replicas.randomElement(using: &random) ?? replicas[0]
            let seqs = (0..<number(1...64)).map { _ in UInt64(number(0...2_000)) }
            line.say(.chainsAsked(replica, at: seqs))
        }
    }

    func reconnect() {
        trace("connects with all that it has")
        for line in connections.all.prefix(4) { line.hangUp() }
        for _ in 0..<8 { _ = connect(keys.randomElement(using: &random) ?? keys[0]) }
    }
}
