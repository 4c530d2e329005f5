import FocusCore
import FocusDevice
import FocusSeal
import FocusStore
import FocusSync
import TestSupport

// The traitor's events in the log.
extension Traitor {
    /// The content of an event.
    enum Content {
        case says(Action)
        /// An action that depends on the event's own name and stamp.
        case names((EventID, Stamp) -> Action)
        /// A plain encoding, which may be no action.
        case encodes([UInt8])
        /// An action's encoding with padding that breaks the rule.
        case padsWrongly([UInt8])
        /// A body that no key opens.
        case garbage([UInt8])
    }

    /// Writes events as a replica, its own or another's. They are sealed under `epoch`, or else under the
    /// newest epoch that the traitor has.
    ///
    /// - Parameter lead: The time by which the stamps are ahead.
    func write(
        _ contents: [Content], as replica: ReplicaID, under epoch: EpochID? = nil,
        ahead lead: Duration = .zero,
        on line: HostileLine
    ) {
        guard let group, let epoch = epoch ?? newest ?? epochs.keys.min(),
            let sealer = try? Sealer(group: group, keys: Array(epochs.values))
        else { return }
        var author =
            authors[replica] ?? HostileAuthor(replica, group, after: server.vector(of: group)[replica])
        var left = contents[...]
        let time = max(now + lead, author.time)
        let segment = author.write(contents.count, at: time) { id, stamp in
            stamps.insert(stamp)
            switch left.popFirst() {
            case .says(let action):
                return try? sealer.seal(action.encoded(), id: id, stamp: stamp, epoch: epoch)
            case .names(let action):
                return try? sealer.seal(action(id, stamp).encoded(), id: id, stamp: stamp, epoch: epoch)
            case .encodes(let bytes): return try? sealer.seal(bytes, id: id, stamp: stamp, epoch: epoch)
            case .padsWrongly(let padded):
                misPadded.insert(Position(stamp: stamp, replica: id.replica))
                return try? sealer.seal(padded: padded, id: id, stamp: stamp, epoch: epoch)
            case .garbage(let body): return SealedEvent(id: id, stamp: stamp, epoch: epoch, body: body)
            case nil: return nil
            }
        }
        guard let segment else { return }
        authors[replica] = author
        line.say(.upload(segment))
        world.counts.betrayed += segment.count
    }

    /// Returns one of its replicas, sometimes a new one.
    private func ownReplica() -> ReplicaID {
        if randomNumber(0...4) > 0, let replica = replicas.randomElement(using: &random) { return replica }
        let replica = replica()
        replicas.append(replica)
        return replica
    }

    /// Writes events that any member may write, events without meaning, and events under others' replicas.
    func writeAnything(on line: HostileLine) {
        trace("writes")
        let isForged = randomNumber(0...3) == 0
        let theirs = group.flatMap {
            server.vector(of: $0).heads.keys.sorted().randomElement(using: &random)
        }
        let replica = isForged ? theirs ?? ownReplica() : ownReplica()
        let epoch = randomNumber(0...3) == 0 ? epochs.keys.sorted().randomElement(using: &random) : nil
        write((0..<randomNumber(1...6)).map { _ in content() }, as: replica, under: epoch, on: line)
    }

    private func content() -> Content {
        switch randomNumber(0...10) {
        case 0: return .garbage(random.bytes(16 + 64 * randomNumber(1...3)))
        case 1: return .encodes([UInt8(randomNumber(0...255))] + random.bytes(randomNumber(0...100)))
        case 2: return .encodes([])
        case 3...4: return .says(naming())
        case 5: return .padsWrongly(padWrongly(press().encoded()))
        default: return .says(press())
        }
    }

    /// Returns an encoding with padding that breaks the rule: a wrong first byte, a wrong last byte, or a
    /// block too much (docs/protocol.md, "Sealing").
    private func padWrongly(_ plain: [UInt8]) -> [UInt8] {
        let end = plain + [0x80]
        let zeros = [UInt8](repeating: 0, count: (64 - end.count % 64) % 64)
        switch randomNumber(0...2) {
        case 0: return plain + [0x01] + zeros
        case 1: return end + zeros.dropLast() + [0x01]
        default: return end + zeros + [UInt8](repeating: 0, count: 64)
        }
    }

    /// Returns an action that names a device, its own or another's, rightly or wrongly.
    private func naming() -> Action {
        let other = groupLaptops.randomElement(using: &random)
        let own = keys.filter { (try? $0.publicKey.hash()).map { !unusedKeys.contains($0) } ?? false }
        let ownPublicKey = own.randomElement(using: &random)?.publicKey
        switch randomNumber(0...4) {
        case 0:
            return .device(
                name: "of another", key: other?.key.hexadecimal, publicKey: other?.identity.publicKey.bytes)
        case 1: return .device(name: "no key", key: nil)
        case 2:
            return .device(
                name: "\u{202E}\u{1B}[31m", key: random.digest().hexadecimal, publicKey: random.bytes(65))
        case 3: return .device(name: "half", key: other?.key.hexadecimal, publicKey: ownPublicKey?.bytes)
        default:
            let hash = (try? ownPublicKey?.hash())?.hexadecimal
            return .device(name: "the traitor", key: hash, publicKey: ownPublicKey?.bytes)
        }
    }

    /// Returns a random number of milliseconds.
    private func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(randomNumber(range)) }

    /// Returns a press, or an action that no laptop would write.
    private func press() -> Action {
        let events =
            groupLaptops.randomElement(using: &random).flatMap { try? $0.device?.store.allStoredEvents() }
            ?? []
        let event = events.randomElement(using: &random)
        let run =
            events.last { if case .start? = $0.event?.action { true } else { false } }
            .map { RunID($0.position) } ?? RunID(Position(stamp: .zero, replica: replica()))
        let at: SharedInstant? = randomNumber(0...2) == 0 ? now - milliseconds(0...4_000_000) : nil
        switch randomNumber(0...15) {
        case 0:
            return .start(
                Action.Start(label: "traitor", after: run, offline: randomNumber(0...1) == 0, at: at))
        case 1: return .pause(run, at: at)
        case 2: return .resume(run, at: at)
        case 3: return .stop(run, at: at)
        case 4: return .skip(run, ordinal: Int64(randomNumber(0...9)), at: at)
        case 5:
            return .adjust(
                run, ordinal: Int64(randomNumber(0...3)), seconds: .random(in: .min ... .max, using: &random),
                at: at
            )
        case 6:
            return .label(
                run, text: String(repeating: "\u{7}<b>", count: randomNumber(0...300)), at: .distantPast)
        case 7: return .adopt(run)
        case 8:
            return .set(
                key: ["work", "goal", "\0", "workLength"][randomNumber(0...3)],
                value: .random(in: .min ... .max, using: &random))
        case 9:
            let end = now - milliseconds(0...1_000_000)
            return .record(
                Action.Record(
                    activity: "work", startedAt: end - milliseconds(0...100_000_000), endedAt: end,
                    outcome: "completed", label: "traitor", source: "traitor/\(random.next())"))
        case 10:
            correctedRuns.insert(run)
            return .amend(
                Action.Amend(
                    run: run, ordinal: Int64(randomNumber(0...2)), label: "x",
                    removed: randomNumber(0...1) == 0))
        case 11...12:
            // Changes the times of past work, or moves it into the future.
            correctedRuns.insert(run)
            let end = now + milliseconds(-1_000_000...500_000)
            return .retime(
                Action.Retime(
                    run: run, ordinal: Int64(randomNumber(0...1)),
                    startedAt: end - milliseconds(-1...2_000_000),
                    endedAt: end, shift: milliseconds(-500_000...500_000)))
        case 13:
            correctedRuns.insert(run)
            return .split(
                Action.Split(
                    run: run, ordinal: Int64(randomNumber(0...1)),
                    instant: now - milliseconds(-1_000...500_000),
                    label: "cut"))
        default:
            guard let id = event?.id else { return .undo(EventID(replica: replica(), seq: .max)) }
            undoneEvents.insert(id)
            return .undo(id)
        }
    }

    /// Uploads segments that no laptop would: below the head, beyond it, or with wrong chains.
    func contradict(on line: HostileLine) {
        guard let group else { return }
        trace("contradicts what is there")
        let vector = server.vector(of: group)
        guard let (replica, head) = vector.heads.sorted(by: { $0.key < $1.key }).randomElement(using: &random)
        else { return }
        let seq = UInt64(randomNumber(0...Int(min(head.seq + 2, 1_000_000))))
        let chain = Chain(high: random.next(), low: random.next())
        for before in [Head(seq: seq, chain: seq == 0 ? .empty : chain), Head(seq: seq, chain: head.chain)] {
            var author = HostileAuthor(replica, group, after: before)
            let epoch = newest ?? EpochID(rawValue: 1)
            if let segment = author.write(randomNumber(1...5), at: now, epoch) {
                var events = segment.events
                while let event = events.next() { stamps.insert(event.stamp) }
                for _ in 0..<randomNumber(1...20) { line.say(.upload(segment)) }
            }
        }
    }

    /// Writes two starts. The first one names the second one in its `after`. Later the traitor undoes one of
    /// the two.
    func startAhead(on line: HostileLine) {
        trace("starts ahead")
        if let id = startedAhead.popLast(), randomNumber(0...2) > 0 {
            undoneEvents.insert(id)
            return write([.says(.undo(id))], as: ownReplica(), on: line)
        }
        var starts: [EventID] = []
        let replica = ownReplica()
        let first = Content.names { id, stamp in
            starts.append(id)
            let next = Position(stamp: Stamp(rawValue: stamp.rawValue + 1), replica: id.replica)
            return .start(Action.Start(label: "ahead", after: RunID(next)))
        }
        let second = Content.names { id, _ in
            starts.append(id)
            return .start(Action.Start(label: "named ahead"))
        }
        write([first, second], as: replica, on: line)
        if let one = starts.randomElement(using: &random) { startedAhead.append(one) }
    }

    /// Writes under many replicas of its own.
    func multiply(on line: HostileLine) {
        trace("brings replicas")
        for _ in 0..<randomNumber(1...40) {
            let body = random.bytes(SealedEvent.bodyMinimum)
            write([randomNumber(0...1) == 0 ? .garbage(body) : .says(naming())], as: replica(), on: line)
        }
    }

    /// Stamps each event as far ahead of the one before as the server accepts.
    func stampAhead(on line: HostileLine) {
        trace("stamps ahead")
        let replica = ownReplica()
        for step in 1...Int64(randomNumber(1...5)) {
            write([.says(press())], as: replica, ahead: .seconds(119 * step), on: line)
        }
    }

    /// Makes the lying host send early events: a session, a setting, and a revocation of each laptop. All
    /// laptops can read them. They must have no effect before their time.
    ///
    /// - Parameters:
    ///   - lead: The time by which they are ahead; nil for the greatest stamps.
    ///   - index: The laptop that is named as the author; nil for a replica of its own.
    func sendAhead(by lead: Duration?, as index: Int?) {
        guard let host = world.host, let group, let epoch = newest,
            let sealer = try? Sealer(group: group, keys: Array(epochs.values))
        else { return }
        var actions: [Action] = [
            .start(Action.Start(label: "ahead")), .set(key: "workLength", value: 60),
            .device(name: "ahead", key: nil),
        ]
        for laptop in groupLaptops { actions.append(.revoke(laptop.key)) }
        for hash in hashes { actions.append(.readmit(hash)) }
        trace("sends \(actions.count) events \(lead.map { "\($0.inSeconds) s" } ?? "as far as can be") ahead")
        let latest = Stamp(rawValue: 1 << 63 - 1 - UInt64(actions.count))
        let theirs = groupLaptops.first { $0.index == index }?.device.flatMap {
            try? $0.store.ownReplicas().last
        }
        let replica = theirs ?? replica()
        var author = HostileAuthor(
            replica, group, after: server.vector(of: group)[replica],
            stampedAfter: lead == nil ? latest : .zero)
        var left = actions[...]
        let segment = author.write(actions.count, at: now + (lead ?? .zero)) { id, stamp in
            left.popFirst().flatMap {
                try? sealer.seal($0.encoded(), id: id, stamp: stamp, epoch: epoch)
            }
        }
        if let segment { host.send(segment, to: group) }
    }

    /// Writes a ruling on a key.
    func rule(_ action: Action, ahead lead: Duration = .zero, on line: HostileLine) {
        write([.says(action)], as: ownReplica(), ahead: lead, on: line)
    }
}
