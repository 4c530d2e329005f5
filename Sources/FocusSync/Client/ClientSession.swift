package import FocusCore

/// The client's side of one connection, without a socket, a clock or a store: bytes, instants and results go in,
/// `ClientEffect`s come out (docs/protocol.md, "A session").
///
/// Everything it is told is told in the order it happened; after `.close` everything is ignored.
package struct ClientSession: ~Copyable {
    /// What the connection is for.
    package enum Purpose: Hashable, Sendable {
        case sync(LocalLog)
        /// To be let in with an invite, then to sync.
        case enrol(Enrol)
    }

    private enum State {
        /// The transport isn't there yet. Then: awaiting the greeting.
        case unopened(Purpose)
        /// Then: awaiting enrolment, or the welcome.
        case awaitingGreeting(Purpose)
        /// Then: enrolled.
        case awaitingEnrolment
        /// The shell is making itself at home in the group; nothing more is read. Then: awaiting the welcome.
        case enrolled
        /// Then: connected.
        case awaitingWelcome(LocalLog)
        case connected(Exchange)
        /// The session is over.
        case closed
    }

    private let program: String
    private var state: State
    private var line: ClientLine

    /// Begins a session whose transport isn't there yet.
    ///
    /// - Parameters:
    ///   - clock: the estimate of shared time so far; its readings are forgotten.
    ///   - program: this program's name and version, for people.
    package init(_ purpose: Purpose, clock: ClockEstimate, program: String, now: SteadyInstant) {
        self.program = program
        state = .unopened(purpose)
        line = ClientLine(clock, now: now)
    }

    /// The estimate of shared time; to be kept for the next session.
    package var clock: ClockEstimate { line.clock }

    /// By how much the device's clock was ahead, at the most, when a reading of this connection set it back.
    package var clockError: Duration { line.clockError }

    /// When the last bytes came from the server.
    package var lastHeard: SteadyInstant { line.lastHeard }

    /// When `tick` has to be called at the latest; nil before the opening and once the session is over.
    package var nextDeadline: SteadyInstant? {
        switch state {
        case .unopened, .closed: nil
        case .awaitingGreeting, .awaitingEnrolment, .enrolled, .awaitingWelcome: line.deadline
        case .connected(let exchange): min(line.deadline, exchange.deadline)
        }
    }

    /// Whether the server's welcome has arrived, so that the device counts as connected.
    package var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// Whether the server's welcome named records of epochs that haven't come yet.
    package var awaitsEpochs: Bool {
        if case .connected(let exchange) = state { !exchange.awaitedEpochs.isEmpty } else { false }
    }

    /// How many of the device's events the server isn't known to have; 0 once the session is over.
    package var unacknowledged: UInt64 {
        switch state {
        case .unopened(.sync(let log)), .awaitingGreeting(.sync(let log)), .awaitingWelcome(let log):
            log.vector.heads.values.reduce(0) { $0 + $1.seq }
        case .connected(let exchange): exchange.unacknowledged
        case .unopened(.enrol), .awaitingGreeting(.enrol), .awaitingEnrolment, .enrolled, .closed: 0
        }
    }

    /// Where all replicas stand, for tests; nil where there is no connection.
    var standings: ReplicaStandings? {
        if case .connected(let exchange) = state { exchange.replicas } else { nil }
    }

    /// Whether there is nothing left to do for now: each replica is the same on both sides, as far as is known, or
    /// was stopped.
    package var isIdle: Bool {
        if case .connected(let exchange) = state { exchange.isIdle } else { false }
    }
}

// MARK: - What happens to the connection

extension ClientSession {
    /// The transport is there, the server's key checked.
    ///
    /// - Parameter log: what the device has by now, where it syncs: others may have written to it since the session began.
    package mutating func opened(_ now: SteadyInstant, with log: LocalLog? = nil) -> [ClientEffect] {
        guard case .unopened(var purpose) = state else { return [] }
        if case .sync = purpose, let log { purpose = .sync(log) }
        state = .awaitingGreeting(purpose)
        let hello: Hello.Purpose = if case .enrol = purpose { .enrol } else { .sync }
        line.open(hello, program, at: now)
        return line.takeEffects()
    }

    /// Bytes came from the server.
    package mutating func received(_ bytes: ArraySlice<UInt8>, at now: SteadyInstant) -> [ClientEffect] {
        guard !isClosed else { return [] }
        line.hear(bytes, at: now)
        readMessages()
        return finish()
    }

    /// A deadline may have passed.
    package mutating func tick(_ now: SteadyInstant) -> [ClientEffect] {
        guard let deadline = nextDeadline, now >= deadline else { return [] }
        line.now = now
        guard !line.isSilent else {
            line.send(.error(Refusal(.silence, "nothing was heard for too long", retry: .after(.zero))))
            close(.silence)
            return finish()
        }
        line.pingWhenDue()
        return exchanging { exchange, line in
            exchange.shareAgain(&line)
            exchange.retryStopped(&line)
        }
    }

    /// So many bytes are unsent now. To be called once what was asked for is carried out, and as bytes go out.
    package mutating func unsent(_ bytes: Int) -> [ClientEffect] {
        guard !isClosed else { return [] }
        line.unsent = bytes
        return finish()
    }

    /// Ends the session from this side.
    package mutating func leave() -> [ClientEffect] {
        guard !isClosed else { return [] }
        switch state {
        // The first word is a hello.
        case .unopened: break
        default: line.send(.bye)
        }
        close(.finished)
        return finish()
    }
}

// MARK: - What the shell answers to the session's requests, and what happens on the device

extension ClientSession {
    /// The device has made itself at home in the group (the answer to `.enrolled`).
    package mutating func joined(_ log: LocalLog) -> [ClientEffect] {
        guard case .enrolled = state else { return [] }
        state = .awaitingWelcome(log)
        readMessages()
        return finish()
    }

    /// The device's log has this now: something was pressed, imported, or came another way.
    package mutating func logChanged(_ change: LogChange) -> [ClientEffect] {
        switch state {
        case .unopened(.sync(var log)):
            change.applied(to: &log.vector)
            state = .unopened(.sync(log))
        case .awaitingGreeting(.sync(var log)):
            change.applied(to: &log.vector)
            state = .awaitingGreeting(.sync(log))
        case .awaitingWelcome(var log):
            change.applied(to: &log.vector)
            state = .awaitingWelcome(log)
        case .unopened(.enrol), .awaitingGreeting(.enrol), .awaitingEnrolment, .enrolled, .connected, .closed:
            break
        }
        return exchanging { $0.logChanged(change, &$1) }
    }

    /// What a push came to (the answer to `.merge`, in the order of those).
    ///
    /// - Parameters:
    ///   - head: the replica's head after it.
    ///   - stop: why the segment's end was not reached, where it wasn't.
    package mutating func merged(_ replica: ReplicaID, head: Head, stop: RefusalCode?) -> [ClientEffect] {
        exchanging { $0.merged(replica, head: head, stop: stop, &$1) }
    }

    /// The events to be uploaded (the answer to `.read`).
    ///
    /// - Parameter segment: they begin at the seq asked for; nil where there are none any more.
    package mutating func loaded(_ replica: ReplicaID, _ segment: Segment?) -> [ClientEffect] {
        exchanging { $0.loaded(replica, segment, &$1) }
    }

    /// The log's own chains (the answer to `.chains`), less those that there aren't.
    package mutating func chains(_ replica: ReplicaID, _ heads: [Head]) -> [ClientEffect] {
        exchanging { $0.takeChains(replica, &$1) { $0.take(mine: heads) } }
    }

    /// The replica's tail was moved to its branch (the answer to `.moveBranch`), here or by another process, and the log
    /// has this now.
    package mutating func moved(_ replica: ReplicaID, _ change: LogChange) -> [ClientEffect] {
        exchanging { $0.moved(replica, change, &$1) }
    }

    /// The device did what it does by itself (the answer to `.caughtUp`), and the log has this now.
    package mutating func returned(_ change: LogChange, at now: SteadyInstant) -> [ClientEffect] {
        exchanging { exchange, line in
            guard case .returning = exchange.stage else { return exchange.logChanged(change, &line) }
            line.now = now
            exchange.returned(change, &line)
        }
    }

    /// What lay ahead was re-authored (the answer to `.reauthor`), and the log has this now.
    package mutating func reauthored(_ change: LogChange) -> [ClientEffect] {
        exchanging { exchange, line in
            guard case .reauthoring = exchange.stage else { return exchange.logChanged(change, &line) }
            exchange.reauthored(change, &line)
        }
    }

    /// Asks the server for something of the group. What it names (`GroupRequest.awaited`) is answered by `.inviteCreated`,
    /// `.revoked`, `.epoch` or `.refused`; at once by the last where there is no connection.
    package mutating func ask(_ request: GroupRequest) -> [ClientEffect] {
        if !isConnected, let subject = request.awaited {
            let refusal = Refusal(.notAllowed, "not connected to the server", retry: .after(.zero))
            line.append(.refused(subject, refusal))
        }
        return exchanging { $0.ask(request, &$1) }
    }

    /// The server turned out to lack the record of an epoch: it is given these, and what it refused for want of one right
    /// after them.
    ///
    /// - Returns: nil where it was given all of them before.
    package mutating func giveLacking(_ records: [EpochRecord]) -> [ClientEffect]? {
        var isGiven = false
        let effects = exchanging { isGiven = $0.give(records, &$1) }
        return isGiven ? effects : nil
    }
}

// MARK: - Carrying out

extension ClientSession {
    private var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Lets the two sides exchange something, where they are that far, and hands over the effects.
    private mutating func exchanging(_ body: (inout Exchange, inout ClientLine) -> Void) -> [ClientEffect] {
        withExchange(body)
        return finish()
    }

    /// Gives the exchange to be changed in place, where there is one.
    private mutating func withExchange<Failure: Error>(
        _ body: (inout Exchange, inout ClientLine) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .connected(var exchange) = state else { return }
        // There is but one of it, so nothing is copied.
        state = .closed
        defer { state = .connected(exchange) }
        try body(&exchange, &line)
    }

    /// Reads what has come, up to where the shell has to answer first.
    private mutating func readMessages() {
        do throws(ServerFault) {
            while isReading, let message = try nextMessage() { try handle(message) }
        } catch {
            switch error {
            case .malformed(let error):
                line.send(.error(Refusal(error)))
                close(.malformed(error))
            case .excess(let excess):
                line.send(.error(Refusal(.quota, "that is more than a group has")))
                close(.excess(excess))
            }
        }
    }

    private mutating func nextMessage() throws(ServerFault) -> Message? {
        do throws(WireError) { return try line.next() } catch { throw .malformed(error) }
    }

    private var isReading: Bool {
        switch state {
        case .closed, .enrolled, .unopened: false
        case .awaitingGreeting, .awaitingEnrolment, .awaitingWelcome, .connected: true
        }
    }

    /// One message came from the server.
    private mutating func handle(_ message: Message) throws(ServerFault) {
        switch message {
        case .bye: return close(.serverLeft)
        case .error(let refusal): return end(refusal)
        default: break
        }
        switch state {
        case .unopened, .enrolled, .closed: break
        case .awaitingGreeting(let purpose):
            guard case .greeting(let greeting) = message,
                ProtocolVersion.spoken.contains(greeting.chosen)
            else { throw .malformed(.unexpected(message.type)) }
            line.takeClock(greeting.clock)
            switch purpose {
            case .enrol(let enrol):
                line.send(.enrol(enrol))
                state = .awaitingEnrolment
            case .sync(let log): state = .awaitingWelcome(log)
            }
        case .awaitingEnrolment:
            if case .enrolled(let enrolled) = message {
                state = .enrolled
                line.append(.enrolled(enrolled))
            } else {
                try line.takePong(message)
            }
        case .awaitingWelcome(let log):
            if case .welcome(let welcome) = message {
                handle(welcome, log)
            } else {
                try line.takePong(message)
            }
        case .connected:
            try withExchange { exchange, line throws(ServerFault) in try exchange.handle(message, &line) }
        }
    }

    private mutating func handle(_ welcome: Welcome, _ log: LocalLog) {
        guard log.group == welcome.group else {
            line.send(.bye)
            return close(.otherGroup(welcome.group))
        }
        line.append(.connected(welcome))
        state = .connected(Exchange(welcome, to: log, &line))
    }

    private mutating func end(_ refusal: Refusal) {
        guard refusal.code == .version else { return close(.refused(refusal)) }
        close(.version(VersionMismatch(client: ProtocolVersion.spoken, server: refusal.versions)))
    }

    private mutating func close(_ closing: ClientClosing) {
        state = .closed
        line.append(.close(closing))
    }

    /// Goes on with what can go on, and hands over the effects.
    private mutating func finish() -> [ClientEffect] {
        withExchange { $0.goOn(&$1) }
        return line.takeEffects()
    }
}
