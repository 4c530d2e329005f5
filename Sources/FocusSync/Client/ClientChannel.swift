import FocusCore

/// The parts of a client's connection that don't depend on its purpose: frames, clock readings of the server,
/// and the detection of silence.
struct ClientChannel {
    private var decoder = FrameDecoder()
    /// The effects that the driver hasn't taken yet.
    private(set) var effects: [ClientEffect] = []
    /// The number of bytes not sent yet, as far as the session knows.
    var unsent = 0
    /// The estimate of shared time.
    private(set) var clock: ClockEstimate
    /// The largest step back of the estimate of shared time that a clock reading on this connection caused;
    /// zero if there was none.
    private(set) var clockError = Duration.zero
    /// Whether the server's last clock answer said that it isn't sure of its clock.
    private(set) var isServerUnsure = false
    /// The latest instant that the driver passed in.
    var now: SteadyInstant
    /// The instant at which the last bytes came from the server.
    private(set) var lastHeard: SteadyInstant
    /// The instant at which the last hello or ping was sent. An answer to an earlier one is ignored.
    private var asked = SteadyInstant.zero
    /// The instant at which the next ping is due.
    private var nextPing = SteadyInstant.distantFuture

    /// - Parameter clock: The estimate of shared time so far. Its readings are dropped.
    init(_ clock: ClockEstimate, now: SteadyInstant) {
        self.clock = clock
        self.clock.reconnect()
        self.now = now
        lastHeard = now
    }

    /// The instant at which the next ping or the end by silence is due.
    var deadline: SteadyInstant { min(lastHeard + Limits.serverSilence, nextPing) }

    /// Whether nothing came from the server for `Limits.serverSilence`.
    var isSilent: Bool { now >= lastHeard + Limits.serverSilence }

    // MARK: - Sending

    mutating func send(_ message: Message) {
        let frame = message.encoded()
        unsent += frame.count
        effects.send(frame)
    }

    mutating func append(_ effect: ClientEffect) { effects.append(effect) }

    /// Removes and returns the effects so far.
    mutating func takeEffects() -> [ClientEffect] {
        defer { effects = [] }
        return effects
    }

    // MARK: - Receiving

    /// Sends the hello, which also asks for the first clock reading. Called when the transport is connected.
    mutating func open(_ purpose: Hello.Purpose, _ program: String, at now: SteadyInstant) {
        self.now = now
        lastHeard = now
        asked = now
        nextPing = now + Limits.ping
        send(
            .hello(
                Hello(versions: ProtocolVersion.spoken, purpose: purpose, sent: now, program: program)))
    }

    /// Takes bytes that came from the server.
    mutating func hear(_ bytes: ArraySlice<UInt8>, at now: SteadyInstant) {
        self.now = now
        lastHeard = now
        decoder.append(bytes)
    }

    /// Returns the next message that has arrived completely, or nil if there is none. If the message names a
    /// time to wait, that time is cut to `Limits.longestWait`.
    ///
    /// - Throws: `WireError` if the bytes are no valid frame or message.
    mutating func next() throws(WireError) -> Message? {
        guard let frame = try decoder.next() else { return nil }
        return try Message(frame).withBoundedWait
    }

    // MARK: - The clock

    /// Sends a ping if one is due.
    mutating func pingWhenDue() {
        guard now >= nextPing else { return }
        asked = now
        nextPing = now + Limits.ping
        send(.ping(sent: now))
    }

    /// Handles a pong. Throws if the message isn't a pong.
    mutating func takePong(_ message: Message) throws(ServerProtocolError) {
        guard case .pong(let answer) = message else { throw .malformed(.unexpected(message.type)) }
        takeClock(answer)
    }

    /// Takes the clock reading of a greeting or a pong.
    mutating func takeClock(_ answer: ClockAnswer) {
        guard answer.asked == asked else { return }
        guard let reading = ClockReading(answer, arrived: lastHeard) else {
            if answer.served == nil {
                isServerUnsure = true
                effects.append(.clockNotSure)
            }
            return
        }
        isServerUnsure = false
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

/// A message of the server's that breaks the protocol or exceeds a limit.
enum ServerProtocolError: Error {
    case malformed(WireError)
    case excess(GroupSizeError)
}
