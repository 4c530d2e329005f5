import FocusCore

/// The client's side of one connection, without a socket, a clock or a store: bytes, instants and results go in,
/// `ClientEffect`s come out (docs/protocol.md, "A session").
///
/// Instants are the device's steady clock (CLOCK_BOOTTIME) in microseconds. Everything it is told is told in the
/// order it happened; after `.close` everything is ignored.
package struct ClientSession: ~Copyable {
    /// What the connection is for.
    package enum Purpose: Hashable, Sendable {
        case sync(LocalLog)
        /// To be let in with an invite, then to sync.
        case enrol(Enrol)
    }

    enum State {
        /// The transport isn't there yet. Then: awaiting the greeting.
        case unopened
        /// Then: awaiting enrolment, or the welcome.
        case awaitingGreeting
        /// Then: enrolled.
        case awaitingEnrolment
        /// The shell is making itself at home in the group; nothing more is read. Then: awaiting the welcome.
        case enrolled
        /// Then: catching up.
        case awaitingWelcome
        /// The server sends what the device lacks: these replicas are still short of what the welcome named, or epochs
        /// are awaited.
        /// Then: returning.
        case catchingUp(Set<ReplicaID>)
        /// The shell does what a device does by itself. Then: awaiting the clock, or re-authoring.
        case returning
        /// The server isn't sure of its clock, and nothing may be uploaded. Then: re-authoring.
        case awaitingClock
        /// The shell looks for events that lie ahead. Then: live.
        case reauthoring
        /// Everything goes both ways as it comes.
        case live
        /// The session is over.
        case closed
    }

    let purpose: Purpose
    let program: String
    var state = State.unopened
    var decoder = FrameDecoder()
    /// What the device has; nil while it has no group.
    var log: LocalLog?
    var replicas: [ReplicaID: ReplicaStanding] = [:]
    /// The greatest stamp in the server's log, as the welcome said.
    var latest = Stamp.zero
    /// The epochs of which the welcome named a record that hasn't come yet.
    var awaitedEpochs: Set<EpochID> = []
    /// What the session gives the server by itself since the welcome.
    var shared = SharedRecords()
    /// How many bytes haven't gone out yet, as far as the session knows.
    var unsent = 0
    /// The pushes that the shell is merging.
    var merging = SegmentQueue()
    var uploads = Uploads()
    /// Whether events have to be re-authored as soon as no upload is under way.
    var isReauthoringDue = false
    /// Before this a refusal leads to no re-authoring again: what was written anew as another replica may be refused
    /// too.
    var nextReauthoring = Int64.min
    /// By how many microseconds the device's clock was ahead when this connection gave its first reading.
    var clockError: Int64 = 0
    /// The estimate of shared time; to be kept for the next session.
    package internal(set) var clock: ClockEstimate
    /// When the last bytes came from the server.
    package internal(set) var lastHeard: Int64
    /// The latest instant that the session was told.
    var now: Int64
    /// When the last question about the clock was sent.
    var asked: Int64 = 0
    var nextPing: Int64 = .max
    var effects: [ClientEffect] = []

    /// Begins a session whose transport isn't there yet.
    ///
    /// - Parameters:
    ///   - clock: the estimate of shared time so far; its readings are forgotten.
    ///   - program: this program's name and version, for people.
    package init(_ purpose: Purpose, clock: ClockEstimate, program: String, now: Int64) {
        self.purpose = purpose
        self.program = program
        self.clock = clock
        self.clock.reconnect()
        self.now = now
        lastHeard = now
        if case .sync(let log) = purpose { self.log = log }
    }

    /// When `tick` has to be called at the latest; nil before the opening and once the session is over.
    package var nextDeadline: Int64? {
        switch state {
        case .unopened, .closed: nil
        default:
            replicas.values.reduce(
                min(lastHeard + Limits.serverSilence, nextPing, shared.due ?? .max)
            ) { least, standing in
                if case .stopped(let until?) = standing.work { min(least, until) } else { least }
            }
        }
    }

    /// Whether the server's welcome has arrived, so that the device counts as connected.
    package var isConnected: Bool {
        switch state {
        case .unopened, .awaitingGreeting, .awaitingEnrolment, .enrolled, .awaitingWelcome, .closed: false
        case .catchingUp, .returning, .awaitingClock, .reauthoring, .live: true
        }
    }

    /// Whether the server's welcome named records of epochs that haven't come yet.
    package var awaitsEpochs: Bool { !awaitedEpochs.isEmpty }

    /// How many of the device's events the server isn't known to have.
    package var unacknowledged: UInt64 {
        guard let log else { return 0 }
        return log.vector.heads.reduce(0) { sum, entry in
            sum + entry.value.seq - min(replicas[entry.key]?.agreed ?? 0, entry.value.seq)
        }
    }

    /// Whether there is nothing left to do for now: each replica is the same on both sides, as far as is known, or
    /// was stopped.
    package var isIdle: Bool {
        guard case .live = state, merging.isEmpty, !uploads.isUnderWay, !shared.isGiving else { return false }
        return replicas.allSatisfy { replica, standing in
            switch standing.work {
            case .stopped: true
            case .comparing, .moving: false
            case .none: max(standing.serverSeq, local(replica).seq) <= standing.agreed
            }
        }
    }
}

// MARK: - What happens to the connection

extension ClientSession {
    /// The transport is there, the server's key checked.
    package mutating func opened(_ now: Int64) -> [ClientEffect] {
        guard case .unopened = state else { return [] }
        self.now = now
        lastHeard = now
        asked = now
        nextPing = now + Limits.ping
        state = .awaitingGreeting
        let hello: Hello.Purpose = if case .enrol = purpose { .enrol } else { .sync }
        send(
            .hello(
                Hello(versions: ProtocolVersion.spoken, purpose: hello, sent: now, program: program)))
        return finish()
    }

    /// Bytes came from the server.
    package mutating func received(_ bytes: ArraySlice<UInt8>, at now: Int64) -> [ClientEffect] {
        guard !isClosed else { return [] }
        self.now = now
        lastHeard = now
        decoder.append(bytes)
        readFrames()
        return finish()
    }

    /// A deadline may have passed.
    package mutating func tick(_ now: Int64) -> [ClientEffect] {
        guard let deadline = nextDeadline, now >= deadline else { return [] }
        self.now = now
        guard now < lastHeard + Limits.serverSilence else {
            send(.error(Refusal(.silence, "nothing was heard for too long", retry: .after(0))))
            close(.silence)
            return finish()
        }
        if now >= nextPing { ping() }
        shareAgain()
        retryStopped()
        return finish()
    }

    /// So many bytes are unsent now. To be called once what was asked for is carried out, and as bytes go out.
    package mutating func unsent(_ bytes: Int) -> [ClientEffect] {
        guard !isClosed else { return [] }
        unsent = bytes
        return finish()
    }

    /// Ends the session from this side.
    package mutating func leave() -> [ClientEffect] {
        guard !isClosed else { return [] }
        switch state {
        // The first word is a hello.
        case .unopened: break
        default: send(.bye)
        }
        close(.finished)
        return finish()
    }
}

// MARK: - Carrying out

extension ClientSession {
    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Reads what has come, up to where the shell has to answer first.
    mutating func readFrames() {
        do throws(WireError) {
            while isReading, let frame = try decoder.next() { try handle(Message(frame)) }
        } catch {
            send(.error(Refusal(error)))
            close(.malformed(error))
        }
    }

    private var isReading: Bool {
        switch state {
        case .closed, .enrolled, .unopened: false
        default: true
        }
    }

    mutating func send(_ message: Message) {
        let frame = message.encoded()
        unsent += frame.count
        effects.send(frame)
    }

    mutating func close(_ closing: ClientClosing) {
        state = .closed
        effects.append(.close(closing))
    }

    private mutating func ping() {
        asked = now
        nextPing = now + Limits.ping
        send(.ping(sent: now))
    }

    /// Goes on with what can go on, and hands over the effects.
    mutating func finish() -> [ClientEffect] {
        goOn()
        defer { effects = [] }
        return effects
    }
}
