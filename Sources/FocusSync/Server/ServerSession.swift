package import FocusCore

/// The server's side of one connection, as a state machine without a socket, a clock or a store. Bytes,
/// instants and results go in; `ServerEffect`s come out (docs/protocol.md, "A session").
///
/// The driver passes events in the order in which they happen. After `.close`, all input is ignored.
package struct ServerSession: ~Copyable {
    /// The server's knowledge of the client's device, looked up after the handshake.
    package enum Standing: Hashable, Sendable {
        /// The device is in no group here. It may enrol, once, within `SessionLimits.opening`.
        case unknown
        case revoked
        case member(GroupID)
    }

    enum State {
        /// No hello has come yet. Next: `awaitingEnrolment` or `entering`.
        case awaitingHello
        /// The hello said that an `enrol` follows. Next: `enrolling`.
        case awaitingEnrolment
        /// The driver decides whether the device may come in. Next: `entering`.
        case enrolling
        /// The driver looks up what the group has. Next: `welcomed`.
        case entering
        /// The welcome was sent, and commits are noted. Next: `live`.
        case welcomed
        /// The client has said what it has, and is sent the rest and every commit.
        case live
        /// The session is over.
        case closed
    }

    let device: Digest
    let program: String
    /// The client program's name and version from its hello, for people; nil before it.
    package internal(set) var clientProgram: String?
    let limits: SessionLimits
    var state = State.awaitingHello
    var standing: Standing
    var decoder: FrameDecoder
    var exchange = ServerExchange()
    var rateLimiters = ClientRateLimiters()
    /// The number of sealed bytes not sent yet, as far as the session knows.
    private var unsent = 0
    /// Whether the driver was last told to read.
    private var isReading = true
    /// The work left in this turn for the client's messages, in the unit of `Limits.turn`.
    package private(set) var turnLeft = Limits.turn
    /// Whether the session waits for its next turn.
    private var awaitsTurn = false
    /// The instant at which the session was created.
    private let opened: SteadyInstant
    /// The instant at which the last bytes came.
    private(set) var heard: ServerTime
    var effects: [ServerEffect] = []

    /// Creates a session after the handshake.
    ///
    /// - Parameters:
    ///   - device: The hash of the public key that the client showed.
    ///   - program: This program's name and version, for people.
    package init(
        device: Digest, standing: Standing, program: String, limits: SessionLimits = SessionLimits(),
        now: ServerTime
    ) {
        self.device = device
        self.standing = standing
        self.program = program
        self.limits = limits
        opened = now.steady
        heard = now
        decoder = FrameDecoder(limit: limits.frameBeforeKnown)
        if case .member = standing { decoder.limit = limits.frame }
    }

    /// The group of the commits and presence that concern this connection; nil before the
    /// welcome and after the end.
    package var group: GroupID? {
        switch (state, standing) {
        case (.welcomed, .member(let group)), (.live, .member(let group)): group
        default: nil
        }
    }

    /// The latest instant at which `tick` has to be called; nil after the end of the session.
    package var nextDeadline: SteadyInstant? {
        switch state {
        case .closed: nil
        case .awaitingHello, .awaitingEnrolment: opened + limits.opening
        case .enrolling, .entering, .welcomed, .live:
            min(silenceDeadline, rateLimiters.pausedUntil ?? .distantFuture)
        }
    }

    /// Whether the session is over.
    package var isOver: Bool { isClosed }

    /// The memory held for the client, in bytes: an incomplete frame, requests at the writer, and the tables
    /// of what the client has and lacks.
    package var heldBytes: Int { decoder.heldBytes + exchange.heldBytes }

    /// The instant at which a silent client's session ends.
    private var silenceDeadline: SteadyInstant { heard.steady + limits.silence }
}

// MARK: - Connection events

extension ServerSession {
    /// Reads bytes that came from the client.
    ///
    /// - Parameter hasTurn: Whether the bytes may be handled now. Otherwise the session requests a turn.
    package mutating func received(
        _ bytes: ArraySlice<UInt8>, at now: ServerTime, hasTurn: Bool = true
    ) -> [ServerEffect] {
        guard !isClosed else { return [] }
        heard = now
        rateLimiters.advance(to: now.steady)
        decoder.append(bytes)
        turnLeft = hasTurn ? Limits.turn : 0
        return finish()
    }

    /// Continues with the new turn that the session requested with `.turn`. Afterwards `turnLeft` is the
    /// unused rest of the turn.
    package mutating func beginTurn() -> [ServerEffect] {
        guard !isClosed else { return [] }
        awaitsTurn = false
        turnLeft = Limits.turn
        return finish()
    }

    /// Does what is due by `now`. Does nothing before `nextDeadline`.
    package mutating func tick(_ now: ServerTime) -> [ServerEffect] {
        guard let nextDeadline, now.steady >= nextDeadline else { return [] }
        switch state {
        case .awaitingHello, .awaitingEnrolment:
            end(Refusal(.silence, "nothing was said in time", retry: .after(.zero)))
        default:
            rateLimiters.advance(to: now.steady)
            if now.steady >= silenceDeadline {
                end(Refusal(.silence, "nothing was heard for too long", retry: .after(.zero)))
            }
        }
        return finish()
    }

    /// Updates the number of unsent sealed bytes. The driver calls this after every
    /// `.send`, and as bytes are sent.
    package mutating func unsentBytesChanged(to bytes: Int) -> [ServerEffect] {
        guard !isClosed else { return [] }
        unsent = bytes
        return finish()
    }

    /// Ends the session from the server's side with a `bye`, so that the client connects again.
    package mutating func leave() -> [ServerEffect] {
        guard !isClosed else { return [] }
        send(.bye)
        close(.left)
        return finish()
    }

    /// Ends the session from the server's side with an `error` that gives the client this refusal.
    package mutating func refuse(_ refusal: Refusal) -> [ServerEffect] {
        guard !isClosed else { return [] }
        end(refusal)
        return finish()
    }
}

// MARK: - Execution

extension ServerSession {
    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    var isLive: Bool {
        if case .live = state { true } else { false }
    }

    /// Whether the number of unsent bytes allows more output.
    var isWritable: Bool { unsent <= Limits.unsent }

    mutating func send(_ message: Message) { send(message.encoded()) }

    mutating func send(_ frame: [UInt8]) {
        unsent += frame.count
        effects.send(frame)
    }

    /// Sends a frame that was encoded once for the whole group, as an effect of its own.
    mutating func pass(_ frame: [UInt8]) {
        unsent += frame.count
        effects.append(.send(frame))
    }

    /// Sends an `error` with this refusal, and ends the session.
    mutating func end(_ refusal: Refusal) {
        send(.error(refusal))
        close(.refused(refusal))
    }

    /// Ends the session.
    mutating func close(_ closing: ServerCloseReason) {
        state = .closed
        effects.append(.close(closing))
        // The memory is freed now, because the connection may take long to close.
        decoder = FrameDecoder()
        exchange = ServerExchange()
    }

    /// Whether more messages may be read from the client now.
    private var canReadMore: Bool {
        isWritable && !awaitsTurn && rateLimiters.pausedUntil == nil
            && exchange.canReadMore(with: rateLimiters)
    }

    /// Returns the work that a message counts as, in the unit of `Limits.turn`.
    private static func work(_ frame: Frame) -> Int { 1 + frame.body.count / 128 }

    /// Handles the messages that have come, until the server has enough to do or the turn is used up.
    private mutating func readFrames() {
        do throws(WireError) {
            while !isClosed, canReadMore {
                guard turnLeft > 0 || !decoder.hasNext else {
                    awaitsTurn = true
                    effects.append(.turn)
                    return
                }
                guard let frame = try decoder.next() else { return }
                turnLeft = max(0, turnLeft - ServerSession.work(frame))
                try handle(Message(frame), at: heard)
            }
        } catch {
            end(Refusal(error))
        }
    }

    /// Does all work that is possible now, and returns the effects.
    mutating func finish() -> [ServerEffect] {
        readFrames()
        if !isClosed {
            while isWritable, let message = exchange.news.next() { send(message) }
            if isLive, isWritable, let asked = exchange.epochs.nextRead() {
                effects.append(.readEpochs(asked, bytes: Limits.read))
            }
            if isLive, isWritable, let (replica, from) = exchange.events.nextRead() {
                effects.append(.read(replica, from: from, bytes: Limits.read))
            }
            let canReadMore = canReadMore
            if canReadMore != isReading {
                isReading = canReadMore
                effects.append(.reading(canReadMore))
            }
        }
        return Swift.exchange(&effects, with: [])
    }
}
