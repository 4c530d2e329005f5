package import FocusCore

/// The server's side of one connection, without a socket, a clock or a store: bytes, instants and results go in,
/// `ServerEffect`s come out (docs/protocol.md, "A session").
///
/// Everything it is told is told in the order it happened; after `.close` everything is ignored.
package struct ServerSession: ~Copyable {
    /// What the server knows of the device at the other end, looked up after the handshake.
    package enum Standing: Hashable, Sendable {
        /// It may enrol, once, within `SessionLimits.opening`.
        case unknown
        case revoked
        case member(GroupID)
    }

    enum State {
        /// Nothing was said yet. Then: awaiting enrolment, or entering.
        case awaitingHello
        /// The hello said that an `enrol` follows. Then: enrolling.
        case awaitingEnrolment
        /// The server is asked whether the device may come in. Then: entering.
        case enrolling
        /// The server is asked what the group has. Then: welcomed.
        case entering
        /// The welcome was sent, and commits are noted. Then: live.
        case welcomed
        /// The client said what it has, and is sent the rest and every commit.
        case live
        /// The session is over.
        case closed
    }

    let device: Digest
    let program: String
    /// What the client's hello says of its program, for people; nil before it.
    package internal(set) var clientProgram: String?
    let limits: SessionLimits
    var state = State.awaitingHello
    var standing: Standing
    var decoder: FrameDecoder
    var exchange = ServerExchange()
    var paces = ClientPaces()
    /// How many sealed bytes haven't gone out yet, as far as the session knows.
    private var unsent = 0
    private var isReading = true
    /// How much work of its client's messages is left of the session's turn.
    package private(set) var turnLeft = Limits.turn
    /// Whether it waits for its next turn.
    private var awaitsTurn = false
    private let opened: SteadyInstant
    /// When the last bytes came.
    private(set) var heard: ServerTime
    var effects: [ServerEffect] = []

    /// Begins a session after the handshake.
    ///
    /// - Parameters:
    ///   - device: the hash of the public key that the client showed.
    ///   - program: this program's name and version, for people.
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

    /// The group whose commits and presence concern this connection; nil before the welcome and after the end.
    package var group: GroupID? {
        switch (state, standing) {
        case (.welcomed, .member(let group)), (.live, .member(let group)): group
        default: nil
        }
    }

    /// When `tick` has to be called at the latest; nil once the session is over.
    package var nextDeadline: SteadyInstant? {
        switch state {
        case .closed: nil
        case .awaitingHello, .awaitingEnrolment: opened + limits.opening
        case .enrolling, .entering, .welcomed, .live: min(silence, paces.restsUntil ?? .distantFuture)
        }
    }

    /// Whether the session is over.
    package var isOver: Bool { isClosed }

    /// How much memory it holds for the client, in bytes: a frame that isn't whole, what the writer has yet to do, and
    /// what the client has and lacks.
    package var heldBytes: Int { decoder.heldBytes + exchange.heldBytes }

    /// When a client that says nothing is taken for dead.
    private var silence: SteadyInstant { heard.steady + limits.silence }
}

// MARK: - What happens to the connection

extension ServerSession {
    /// Bytes came from the client.
    ///
    /// - Parameter hasTurn: whether they may be looked at now. Otherwise the session asks for its turn.
    package mutating func received(
        _ bytes: ArraySlice<UInt8>, at now: ServerTime, hasTurn: Bool = true
    ) -> [ServerEffect] {
        guard !isClosed else { return [] }
        heard = now
        paces.advance(to: now.steady)
        decoder.append(bytes)
        turnLeft = hasTurn ? Limits.turn : 0
        return finish()
    }

    /// It is the session's turn again (the answer to `.turn`). How much of it is left is in `turnLeft` then.
    package mutating func goOn() -> [ServerEffect] {
        guard !isClosed else { return [] }
        awaitsTurn = false
        turnLeft = Limits.turn
        return finish()
    }

    /// A deadline may have passed.
    package mutating func tick(_ now: ServerTime) -> [ServerEffect] {
        guard let nextDeadline, now.steady >= nextDeadline else { return [] }
        switch state {
        case .awaitingHello, .awaitingEnrolment:
            end(Refusal(.silence, "nothing was said in time", retry: .after(.zero)))
        default:
            paces.advance(to: now.steady)
            if now.steady >= silence {
                end(Refusal(.silence, "nothing was heard for too long", retry: .after(.zero)))
            }
        }
        return finish()
    }

    /// So many sealed bytes are unsent now. To be called after every `.send`, and as bytes go out.
    package mutating func unsent(_ bytes: Int) -> [ServerEffect] {
        guard !isClosed else { return [] }
        unsent = bytes
        return finish()
    }

    /// Ends the session from the server's side, so that the client connects anew.
    package mutating func leave() -> [ServerEffect] {
        guard !isClosed else { return [] }
        send(.bye)
        close(.left)
        return finish()
    }

    /// Ends the session from the server's side: `refusal` says why, to the client too.
    package mutating func refuse(_ refusal: Refusal) -> [ServerEffect] {
        guard !isClosed else { return [] }
        end(refusal)
        return finish()
    }
}

// MARK: - Carrying out

extension ServerSession {
    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    var isLive: Bool {
        if case .live = state { true } else { false }
    }

    /// Whether so little is unsent that more may be produced.
    var isWritable: Bool { unsent <= Limits.unsent }

    mutating func send(_ message: Message) { send(message.encoded()) }

    mutating func send(_ frame: [UInt8]) {
        unsent += frame.count
        effects.send(frame)
    }

    /// Sends a frame that was encoded once for all of the group.
    mutating func pass(_ frame: [UInt8]) {
        unsent += frame.count
        effects.append(.send(frame))
    }

    mutating func end(_ refusal: Refusal) {
        send(.error(refusal))
        close(.refused(refusal))
    }

    mutating func close(_ closing: ServerClosing) {
        state = .closed
        effects.append(.close(closing))
        // What the client sent or lacks is of no use any more, however long its goodbye takes.
        decoder = FrameDecoder()
        exchange = ServerExchange()
    }

    /// Whether more may be taken from the client now.
    private var takesMore: Bool {
        isWritable && !awaitsTurn && paces.restsUntil == nil && exchange.takesMore(at: paces)
    }

    /// What a message costs of the turn.
    private static func work(_ frame: Frame) -> Int { 1 + frame.body.count / 128 }

    /// Takes what has come, up to where the server has enough to do.
    private mutating func readFrames() {
        do throws(WireError) {
            askRoster()
            while !isClosed, takesMore {
                guard turnLeft > 0 || !decoder.hasNext else {
                    awaitsTurn = true
                    effects.append(.turn)
                    return
                }
                guard let frame = try decoder.next() else { return }
                turnLeft = max(0, turnLeft - ServerSession.work(frame))
                try handle(Message(frame), at: heard)
                askRoster()
            }
        } catch {
            end(Refusal(error))
        }
    }

    /// Asks for what is left of a roster, as far as there is room for requests.
    private mutating func askRoster() {
        while let piece = exchange.requests.nextPiece() { effects.append(.ask(piece)) }
    }

    /// Goes on with what can go on, and hands over the effects.
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
            let takesMore = takesMore
            if takesMore != isReading {
                isReading = takesMore
                effects.append(.reading(takesMore))
            }
        }
        return Swift.exchange(&effects, with: [])
    }
}
