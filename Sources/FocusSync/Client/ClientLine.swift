import FocusCore

/// What goes on between a client and its server whatever the connection is for: frames, readings of the server's clock, and
/// whether anything is heard at all.
struct ClientLine {
    private var decoder = FrameDecoder()
    /// What the shell is to do.
    private(set) var effects: [ClientEffect] = []
    /// How many bytes haven't gone out yet, as far as is known.
    var unsent = 0
    /// The estimate of shared time.
    private(set) var clock: ClockEstimate
    /// By how much the device's clock was ahead, at the most, when a reading of this connection set it back.
    private(set) var clockError = Duration.zero
    /// The latest instant that was told.
    var now: SteadyInstant
    /// When the last bytes came from the server.
    private(set) var lastHeard: SteadyInstant
    /// When the last question about the clock was sent.
    private var asked = SteadyInstant.zero
    private var nextPing = SteadyInstant.distantFuture

    /// - Parameter clock: the estimate so far; its readings are forgotten.
    init(_ clock: ClockEstimate, now: SteadyInstant) {
        self.clock = clock
        self.clock.reconnect()
        self.now = now
        lastHeard = now
    }

    /// When something has to be done at the latest.
    var deadline: SteadyInstant { min(lastHeard + Limits.serverSilence, nextPing) }

    /// Whether nothing was heard for too long.
    var isSilent: Bool { now >= lastHeard + Limits.serverSilence }

    // MARK: - What goes out

    mutating func send(_ message: Message) {
        let frame = message.encoded()
        unsent += frame.count
        effects.send(frame)
    }

    mutating func append(_ effect: ClientEffect) { effects.append(effect) }

    /// The effects so far, which are the shell's from now on.
    mutating func takeEffects() -> [ClientEffect] {
        defer { effects = [] }
        return effects
    }

    // MARK: - What comes in

    /// The transport is there: a client says hello, and asks about the clock with it.
    mutating func open(_ purpose: Hello.Purpose, _ program: String, at now: SteadyInstant) {
        self.now = now
        lastHeard = now
        asked = now
        nextPing = now + Limits.ping
        send(
            .hello(
                Hello(versions: ProtocolVersion.spoken, purpose: purpose, sent: now, program: program)))
    }

    mutating func hear(_ bytes: ArraySlice<UInt8>, at now: SteadyInstant) {
        self.now = now
        lastHeard = now
        decoder.append(bytes)
    }

    /// The next message that is there whole. No time to wait that it names is longer than `Limits.longestWait`.
    mutating func next() throws(WireError) -> Message? {
        guard let frame = try decoder.next() else { return nil }
        return try Message(frame).withBoundedWait
    }

    // MARK: - The clock

    /// Asks about the clock, where it is time to.
    mutating func pingWhenDue() {
        guard now >= nextPing else { return }
        asked = now
        nextPing = now + Limits.ping
        send(.ping(sent: now))
    }

    mutating func takePong(_ message: Message) throws(ServerFault) {
        guard case .pong(let answer) = message else { throw .malformed(.unexpected(message.type)) }
        takeClock(answer)
    }

    mutating func takeClock(_ answer: ClockAnswer) {
        guard answer.asked == asked else { return }
        guard let reading = ClockReading(answer, arrived: lastHeard) else {
            if answer.served == nil { effects.append(.clockNotSure) }
            return
        }
        let before = clock.offset
        switch clock.record(reading, at: lastHeard) {
        case .follow(let best):
            clockError = max(clockError, before - best.offset)
            effects.append(.clock(best))
        case .keep: break
        case .jump(let jump): effects.append(.clockJumped(by: jump))
        }
    }
}

extension Message {
    /// The message, with the time to wait that it names cut to `Limits.longestWait`.
    fileprivate var withBoundedWait: Message {
        switch self {
        case .error(let refusal): return .error(refusal.withBoundedWait)
        case .refused(let subject, let refusal): return .refused(subject, refusal.withBoundedWait)
        case .ack(var ack):
            let after = ack.stop?.after.map { min($0, Limits.longestWait) }
            ack.stop?.after = after
            return .ack(ack)
        default: return self
        }
    }
}

extension Refusal {
    fileprivate var withBoundedWait: Refusal {
        guard case .after(let wait) = retry, wait > Limits.longestWait else { return self }
        var refusal = self
        refusal.retry = .after(Limits.longestWait)
        return refusal
    }
}

/// What a server says that it may not say.
enum ServerFault: Error {
    case malformed(WireError)
    case excess(Excess)
}
