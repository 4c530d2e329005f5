package import FocusCore

/// The client's side of one connection, as a state machine without a socket, a clock or a store. Bytes,
/// instants and results go in; `ClientEffect`s come out (docs/protocol.md, "A session").
///
/// The driver passes events in the order in which they happen. After `.close`, all input is ignored.
package struct ClientSession: ~Copyable {
    /// The purpose of the connection.
    package enum Purpose: Hashable, Sendable {
        case sync(LocalLog)
        /// To enrol with an invite, then to sync.
        case enrol(Enrol)
    }

    private enum State {
        /// The transport isn't connected yet. Next: `awaitingGreeting`.
        case unopened(Purpose)
        /// The hello is sent. Next: `awaitingEnrolment` or `awaitingWelcome`.
        case awaitingGreeting(Purpose)
        /// The `enrol` is sent. Next: `enrolled`.
        case awaitingEnrolment
        /// The driver is storing the group and its key; nothing more is read. Next: `awaitingWelcome`.
        case enrolled
        /// The server hasn't sent its welcome yet. Next: `connected`.
        case awaitingWelcome(LocalLog)
        case connected(ClientExchange)
        /// The session is over.
        case closed
    }

    private let program: String
    private var state: State
    /// The channel to the server: its frames, its clock readings and the check for silence.
    private var line: ClientChannel

    /// Creates a session that isn't connected yet.
    ///
    /// - Parameters:
    ///   - clock: The estimate of shared time so far. Its readings are dropped.
    ///   - program: This program's name and version, for people.
    package init(_ purpose: Purpose, clock: ClockEstimate, program: String, now: SteadyInstant) {
        self.program = program
        state = .unopened(purpose)
        line = ClientChannel(clock, now: now)
    }

    /// The estimate of shared time. The driver keeps it for the next session.
    package var clock: ClockEstimate { line.clock }

    /// The largest step back of the estimate of shared time that a clock reading on this connection caused;
    /// zero if there was none.
    package var clockError: Duration { line.clockError }

    /// Whether the server's last clock answer said that it isn't sure of its clock. Such a server accepts no
    /// events.
    package var isServerUnsure: Bool { line.isServerUnsure }

    /// The instant at which the last bytes came from the server.
    package var lastHeard: SteadyInstant { line.lastHeard }

    /// The latest instant at which `tick` has to be called; nil before the opening and
    /// after the end of the session.
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

    /// Whether the welcome named records of epochs that haven't arrived yet.
    package var awaitsEpochs: Bool {
        if case .connected(let exchange) = state { !exchange.awaitedEpochs.isEmpty } else { false }
    }

    /// The number of the device's events that the server isn't known to have; 0 after the end of the session.
    package var unacknowledged: UInt64 {
        switch state {
        case .unopened(.sync(let log)), .awaitingGreeting(.sync(let log)), .awaitingWelcome(let log):
            log.vector.heads.values.reduce(0) { $0 + $1.seq }
        case .connected(let exchange): exchange.unacknowledged
        case .unopened(.enrol), .awaitingGreeting(.enrol), .awaitingEnrolment, .enrolled, .closed: 0
        }
    }

    /// Whether there is nothing left to do for now. Then each replica is stopped, or equal on both sides as
    /// far as is known; or the server isn't sure of its clock.
    package var isIdle: Bool {
        if case .connected(let exchange) = state { exchange.isIdle(line) } else { false }
    }
}

// MARK: - Connection events

extension ClientSession {
    /// Sends the hello. Called when the transport is connected and the server's key is checked.
    ///
    /// - Parameter log: The device's current log, for a session that syncs. Other processes may have written
    ///   to it since the session was created.
    package mutating func opened(_ now: SteadyInstant, with log: LocalLog? = nil) -> [ClientEffect] {
        guard case .unopened(var purpose) = state else { return [] }
        if case .sync = purpose, let log { purpose = .sync(log) }
        state = .awaitingGreeting(purpose)
        let hello: Hello.Purpose = if case .enrol = purpose { .enrol } else { .sync }
        line.open(hello, program, at: now)
        return line.takeEffects()
    }

    /// Reads bytes that came from the server.
    package mutating func received(_ bytes: ArraySlice<UInt8>, at now: SteadyInstant) -> [ClientEffect] {
        guard !isClosed else { return [] }
        line.hear(bytes, at: now)
        readMessages()
        return finish()
    }

    /// Does what is due by `now`. Does nothing before `nextDeadline`.
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
            exchange.sendPutOff(&line)
            exchange.retryStopped(&line)
        }
    }

    /// Updates the number of unsent bytes. The driver calls this after it has performed the
    /// effects, and as bytes are sent.
    package mutating func unsentBytesChanged(to bytes: Int) -> [ClientEffect] {
        guard !isClosed else { return [] }
        line.unsent = bytes
        return finish()
    }

    /// Ends the session from this side, with a `bye` if the hello was sent.
    package mutating func leave() -> [ClientEffect] {
        guard !isClosed else { return [] }
        switch state {
        // The first message has to be a hello, so nothing is sent before it.
        case .unopened: break
        default: line.send(.bye)
        }
        close(.finished)
        return finish()
    }
}

// MARK: - Answers of the driver, and changes on the device

extension ClientSession {
    /// Continues with the group's log, which the device has stored. The answer to `.enrolled`.
    package mutating func joined(_ log: LocalLog) -> [ClientEffect] {
        guard case .enrolled = state else { return [] }
        state = .awaitingWelcome(log)
        readMessages()
        return finish()
    }

    /// Notes that the device's log changed: something was pressed, imported, or merged by another process.
    ///
    /// - Parameter vector: The log's version vector, with chains that are up to date.
    package mutating func localLogChanged(to vector: VersionVector) -> [ClientEffect] {
        switch state {
        case .unopened(.sync(var log)):
            log.vector = vector
            state = .unopened(.sync(log))
        case .awaitingGreeting(.sync(var log)):
            log.vector = vector
            state = .awaitingGreeting(.sync(log))
        case .awaitingWelcome(var log):
            log.vector = vector
            state = .awaitingWelcome(log)
        case .unopened(.enrol), .awaitingGreeting(.enrol), .awaitingEnrolment, .enrolled, .connected, .closed:
            break
        }
        return exchanging { $0.localLogChanged(to: vector, &$1) }
    }

    /// Takes the result of merging a push. The answer to `.merge`, in the order of these effects.
    ///
    /// - Parameters:
    ///   - head: The replica's head after the merge.
    ///   - stop: The reason to stop before the segment's end, or nil if the merge reached it.
    package mutating func merged(_ replica: ReplicaID, head: Head, stop: RefusalCode?) -> [ClientEffect] {
        exchanging { $0.merged(replica, head: head, stop: stop, &$1) }
    }

    /// Uploads the events that were read. The answer to `.read`.
    ///
    /// - Parameter segment: The events, from the requested seq on; nil if there are none any more.
    package mutating func loaded(_ replica: ReplicaID, _ segment: Segment?) -> [ClientEffect] {
        exchanging { $0.loaded(replica, segment, &$1) }
    }

    /// Takes the log's own chains. The answer to `.chains`, without the seqs that the log doesn't have.
    package mutating func chains(_ replica: ReplicaID, _ heads: [Head]) -> [ClientEffect] {
        exchanging { $0.handleChains(replica, &$1) { $0.take(mine: heads) } }
    }

    /// Continues after the replica's tail was moved to its branch, by this process or another one. The answer
    /// to `.moveBranch`, with what the log has now.
    package mutating func moved(_ replica: ReplicaID, _ vector: VersionVector) -> [ClientEffect] {
        exchanging { $0.moved(replica, vector, &$1) }
    }

    /// Continues after the device's own actions on returning. The answer to `.caughtUp`, with the log's
    /// version vector after them.
    package mutating func returned(_ vector: VersionVector, at now: SteadyInstant) -> [ClientEffect] {
        exchanging { exchange, line in
            guard case .returning = exchange.stage else { return exchange.localLogChanged(to: vector, &line) }
            line.now = now
            exchange.returned(vector, &line)
        }
    }

    /// Continues after the events with stamps ahead of shared time were re-authored. The answer to
    /// `.reauthor`.
    ///
    /// - Parameter vector: The log's version vector after that.
    package mutating func reauthored(_ vector: VersionVector) -> [ClientEffect] {
        exchanging { exchange, line in
            guard case .reauthoring = exchange.stage else {
                return exchange.localLogChanged(to: vector, &line)
            }
            exchange.reauthored(vector, &line)
        }
    }

    /// Sends the server a request about the group. The answer is `.answered`. If the session isn't connected,
    /// that is a refusal, at once.
    package mutating func ask(_ request: GroupRequest) -> [ClientEffect] {
        if !isConnected {
            let refusal = Refusal(.notAllowed, "not connected to the server", retry: .after(.zero))
            line.append(.answered(request, refusal))
        }
        return exchanging { $0.ask(request, &$1) }
    }

    /// Sends the server records of epochs that it turned out to lack. Right after them, the session uploads
    /// the events that the server refused because a record was missing.
    ///
    /// - Returns: The effects, or nil if the server was sent all of these records before.
    package mutating func sendMissingRecords(_ records: [EpochRecord]) -> [ClientEffect]? {
        var isNew = false
        let effects = exchanging { isNew = $0.addMissing(records, &$1) }
        return isNew ? effects : nil
    }
}

// MARK: - Execution

extension ClientSession {
    private var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Runs `body` if the session is connected, then returns the effects.
    private mutating func exchanging(_ body: (inout ClientExchange, inout ClientChannel) -> Void)
        -> [ClientEffect]
    {
        withExchange(body)
        return finish()
    }

    /// Runs `body` on the exchange in place, if the session is connected.
    private mutating func withExchange<Failure: Error>(
        _ body: (inout ClientExchange, inout ClientChannel) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .connected(var exchange) = state else { return }
        // The only reference is moved out of `state`, so nothing is copied.
        state = .closed
        defer { state = .connected(exchange) }
        try body(&exchange, &line)
    }

    /// Handles the messages that have arrived, until one needs an answer of the driver first.
    private mutating func readMessages() {
        do throws(ServerProtocolError) {
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

    private mutating func nextMessage() throws(ServerProtocolError) -> Message? {
        do throws(WireError) { return try line.next() } catch { throw .malformed(error) }
    }

    /// Whether messages are handled in the present state.
    private var isReading: Bool {
        switch state {
        case .closed, .enrolled, .unopened: false
        case .awaitingGreeting, .awaitingEnrolment, .awaitingWelcome, .connected: true
        }
    }

    /// Handles one message of the server's.
    private mutating func handle(_ message: Message) throws(ServerProtocolError) {
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
            try withExchange { exchange, line throws(ServerProtocolError) in
                try exchange.handle(message, &line)
            }
        }
    }

    private mutating func handle(_ welcome: Welcome, _ log: LocalLog) {
        guard log.group == welcome.group else {
            line.send(.bye)
            return close(.otherGroup(welcome.group))
        }
        line.append(.connected(welcome))
        state = .connected(ClientExchange(welcome, to: log, &line))
    }

    /// Ends the session because the server refused.
    private mutating func end(_ refusal: Refusal) {
        guard refusal.code == .version else { return close(.refused(refusal)) }
        close(.version(VersionMismatch(client: ProtocolVersion.spoken, server: refusal.versions)))
    }

    private mutating func close(_ closing: ClientCloseReason) {
        state = .closed
        line.append(.close(closing))
    }

    /// Does all work that is possible now, and returns the effects.
    private mutating func finish() -> [ClientEffect] {
        withExchange { $0.advance(&$1) }
        return line.takeEffects()
    }
}
