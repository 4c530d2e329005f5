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
    var outgoing = OutgoingEvents()
    /// The uploads that the writer has, in order.
    var merging = SegmentQueue()
    /// How many questions about chains the store has.
    var chainsAsked = 0
    /// How many requests about devices, invites and epochs the writer has.
    var requests = 0
    /// How many sealed bytes haven't gone out yet, as far as the session knows.
    var unsent = 0
    /// Presence that changed while the client was slow, the last of each device.
    var heldPresence: [Presence] = []
    var isReading = true
    let opened: Int64
    var lastHeard: Int64
    /// When the last bytes came.
    var heard: ServerTime
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
        lastHeard = now.steady
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

    /// When `tick` has to be called at the latest, on the steady clock; nil once the session is over.
    package var nextDeadline: Int64? {
        switch state {
        case .closed: nil
        case .awaitingHello, .awaitingEnrolment: opened + limits.opening
        case .enrolling, .entering, .welcomed, .live: lastHeard + limits.silence
        }
    }
}

// MARK: - What happens to the connection

extension ServerSession {
    /// Bytes came from the client.
    package mutating func received(_ bytes: ArraySlice<UInt8>, at now: ServerTime) -> [ServerEffect] {
        guard !isClosed else { return [] }
        lastHeard = now.steady
        heard = now
        decoder.append(bytes)
        return finish()
    }

    /// A deadline may have passed.
    package mutating func tick(_ now: ServerTime) -> [ServerEffect] {
        guard let nextDeadline, now.steady >= nextDeadline else { return [] }
        switch state {
        case .awaitingHello, .awaitingEnrolment:
            end(Refusal(.silence, "nothing was said in time", retry: .after(0)))
        default:
            end(Refusal(.silence, "nothing was heard for too long", retry: .after(0)))
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

    mutating func end(_ refusal: Refusal) {
        send(.error(refusal))
        close(.refused(refusal))
    }

    mutating func close(_ closing: ServerClosing) {
        state = .closed
        effects.append(.close(closing))
    }

    /// Whether more may be taken from the client now.
    private var takesMore: Bool {
        isWritable && merging.bytes <= Limits.merging && chainsAsked < Limits.questions
            && requests < Limits.questions && outgoing.wanted.count < Limits.questions
    }

    /// Takes what has come, up to where the server has enough to do.
    private mutating func readFrames() {
        do throws(WireError) {
            while !isClosed, takesMore, let frame = try decoder.next() {
                try handle(Message(frame), at: heard)
            }
        } catch {
            end(Refusal(error))
        }
    }

    /// Goes on with what can go on, and hands over the effects.
    mutating func finish() -> [ServerEffect] {
        readFrames()
        if !isClosed {
            if isWritable, !heldPresence.isEmpty {
                send(.presence(heldPresence))
                heldPresence = []
            }
            if isLive, isWritable, let (replica, from) = outgoing.nextRead() {
                effects.append(.read(replica, from: from, bytes: Limits.read))
            }
            if takesMore != isReading {
                isReading = takesMore
                effects.append(.reading(isReading))
            }
        }
        defer { effects = [] }
        return effects
    }
}
