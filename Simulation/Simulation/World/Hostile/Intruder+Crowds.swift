import FocusCore
import FocusSync
import TestSupport

// Attacks that need many connections, or much work on few of them.
extension Intruder {
    /// Makes an attack that reaches one of the limits of the network's thread.
    func crowd(on line: HostileLine) {
        switch number(0...11) {
        case 0: comeOften()
        case 1: standInTheDoorway()
        case 2: knock()
        case 3: ping(on: line)
        case 4: announceLongFrame(on: line)
        case 5: uploadMuch()
        case 6: askAtLength(on: line)
        case 7: holdMuch()
        case 8: takeNothing()
        case 9, 10: goOn(on: line)
        default: hangUpWhileReading()
        }
    }

    private func anyKey() -> Digest { keys.randomElement(using: &random) ?? keys[0] }

    private func hangUp(_ lines: [HostileLine], after delay: Int64) {
        for line in lines { connections.later(after: delay, on: line) { _ in line.hangUp() } }
    }

    /// Opens many connections at once, with one key or with all.
    private func comeOften() {
        trace("comes again and again")
        let key = Bool.random(using: &random) ? anyKey() : nil
        let lines = (0..<number(8...40)).compactMap { _ in connect(key ?? anyKey(), inCrowd: true) }
        hangUp(lines, after: .random(in: .seconds(1)...(.seconds(20)), using: &random))
    }

    /// Opens connections of strangers from a few addresses. Most of them send nothing.
    private func standInTheDoorway() {
        trace("has strangers come")
        let hosts = number(1...8)
        let lines = (0..<number(5...60)).compactMap { _ -> HostileLine? in
            let line = connections.open(
                digest(), proves: number(0...2) > 0, from: UInt8(100 + number(1...hosts)), inCrowd: true)
            if number(0...3) == 0 { line?.greet(.enrol) }
            return line
        }
        hangUp(lines, after: .random(in: .seconds(1)...(.seconds(20)), using: &random))
    }

    /// Opens connections of strangers from one address. Each stranger asks to be let in.
    private func knock() {
        trace("knocks again and again")
        let host = UInt8(number(70...72))
        // Connections opened at the same instant would push each other out before they send anything.
        for index in 0..<number(5...30) {
            let (key, token) = (digest(), random.bytes(32))
            world.later(Int64(index) * 50_000) { [unowned self] in
                guard let line = connections.open(key, from: host, inCrowd: true) else { return }
                line.greet(.enrol)
                line.say(.enrol(Enrol(token: token, kind: .join)))
            }
        }
    }

    /// Sends more pings than an honest client, but no more than the server answers.
    private func ping(on line: HostileLine) {
        trace("pings on and on")
        let pause = Int64.random(in: 260_000...(.seconds(1)), using: &random)
        for index in 0..<number(17...40) {
            connections.later(after: pause * Int64(index), on: line) { _ in
                line.say(.ping(sent: SteadyInstant(microseconds: Int64(index))))
            }
        }
    }

    /// Announces a frame that is longer than allowed, and sends no more of it.
    private func announceLongFrame(on line: HostileLine) {
        trace("announces a long frame")
        let isStranger = Bool.random(using: &random)
        guard let line = isStranger ? connections.open(digest(), from: 69, inCrowd: true) : line else {
            return
        }
        line.isSpoilt = true
        let length = UInt32(isStranger ? number(4_097...1 << 20) : number((1 << 20) + 1...1 << 24))
        if Bool.random(using: &random) { line.greet(isStranger ? .enrol : .sync) }
        line.say(
            bytes: withUnsafeBytes(of: length.bigEndian) { Array($0) } + [MessageType.upload.rawValue])
    }

    /// Sends long uploads on several connections at once, with many pings behind them.
    private func uploadMuch() {
        trace("uploads much at once")
        let lines = connections.all.filter { $0.takes && !$0.isSpoilt && keys.contains($0.key) }.shuffled(
            using: &random)
        for line in lines.prefix(number(1...6)) {
            var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
            for _ in 0..<number(1...5) {
                let segment = author.write(number(10...100), at: server.clock.shared) { id, stamp in
                    SealedEvent(
                        id: id, stamp: stamp, epoch: epoch,
                        body: [UInt8](repeating: UInt8(truncatingIfNeeded: id.seq), count: 4_048))
                }
                if let segment { line.say(.upload(segment)) }
            }
            for sent in 0..<number(1...10) { line.say(.ping(sent: SteadyInstant(microseconds: Int64(sent)))) }
        }
        for _ in 0..<number(0...8) { _ = connect(anyKey(), inCrowd: true) }
    }

    /// Makes expensive requests, and ignores refusals.
    private func goOn(on line: HostileLine) {
        trace("goes on asking")
        guard Bool.random(using: &random) else {
            for _ in 0..<number(10...60) {
                let roster = (0..<number(1...64)).map { _ in
                    RosterEntry(device: digest(), isRevoked: Bool.random(using: &random))
                }
                line.say(.roster(roster))
            }
            return
        }
        var author = HostileAuthor(ReplicaID(rawValue: random.next()), group)
        guard let segment = author.write(number(100...800), at: server.clock.shared, epoch) else {
            return
        }
        for _ in 0..<number(20...200) { line.say(.upload(segment)) }
    }

    /// Sends a few requests near the greatest length.
    private func askAtLength(on line: HostileLine) {
        trace("asks at length")
        for _ in 0..<number(3...5) {
            let record = EpochRecord(
                epoch: EpochID(rawValue: random.next()), predecessor: EpochID(rawValue: random.next()),
                body: [UInt8](repeating: 7, count: number(200_000...500_000)))
            line.say(.successor(record, discounting: []))
        }
    }

    /// Sends all of a frame except its end.
    private func hold(_ length: Int, on line: HostileLine) {
        line.isSpoilt = true
        line.say(
            bytes: withUnsafeBytes(of: UInt32(length).bigEndian) { Array($0) } + [MessageType.upload.rawValue]
        )
        line.say(bytes: [UInt8](repeating: 0, count: length - 10))
    }

    /// Sends long frames without their ends, on several connections.
    private func holdMuch() {
        trace("holds long frames back")
        let lines = (0..<number(2...8)).compactMap { _ in connect(anyKey(), inCrowd: true) }
        for line in lines { hold(number(100_000...1 << 20), on: line) }
        hangUp(lines, after: .random(in: 10_000...(.seconds(30)), using: &random))
    }

    /// Asks for the whole log on many connections, and reads nothing.
    private func takeNothing() {
        trace("takes nothing on many connections")
        let lines = (0..<number(4...20)).compactMap { _ in connect(anyKey(), takes: false, inCrowd: true) }
        // Sometimes they also hold a long frame back.
        if Bool.random(using: &random) { for line in lines { hold(number(100_000...400_000), on: line) } }
        hangUp(lines, after: .random(in: .seconds(2)...(.seconds(40)), using: &random))
    }

    /// Asks for the whole log on several connections, and closes them before it arrives.
    private func hangUpWhileReading() {
        trace("asks for all, and is off")
        let lines = (0..<number(2...8)).compactMap { _ in connect(anyKey(), inCrowd: true) }
        for line in lines {
            for replica in authors.keys.sorted().prefix(16) { line.say(.want(replica, after: 0)) }
        }
        hangUp(lines, after: .random(in: 1_000...400_000, using: &random))
    }
}
