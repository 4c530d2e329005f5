import FocusCore

extension ServerSession {
    /// Handles one message of the client's.
    mutating func handle(_ message: Message, at now: ServerTime) throws(WireError) {
        switch message {
        case .bye: return close(.clientLeft(nil))
        case .error(let refusal): return close(.clientLeft(refusal))
        default: break
        }
        switch state {
        case .closed: break
        case .awaitingHello:
            guard case .hello(let hello) = message else { throw .unexpected(message.type) }
            greet(hello, at: now)
        case .awaitingEnrolment:
            if case .enrol(let enrol) = message {
                state = .enrolling
                effects.append(.enrol(enrol))
            } else {
                try answerPing(message, at: now)
            }
        case .enrolling, .entering: try answerPing(message, at: now)
        case .welcomed:
            if case .have(let have) = message {
                state = .live
                exchange.events.start(have.vector)
                exchange.epochs.start(have.epochs)
                effects.append(.entered)
            } else {
                try answerPing(message, at: now)
            }
        case .live: try handleLive(message, at: now)
        }
    }

    /// Answers the hello, and begins what its purpose asks for.
    private mutating func greet(_ hello: Hello, at now: ServerTime) {
        clientProgram = hello.program
        guard [.sync, .enrol].contains(hello.purpose) else {
            // Only a version that this server doesn't speak can have another purpose,
            // so this is a version error.
            return end(
                Refusal(
                    .version, "an unknown purpose, \(hello.purpose.rawValue)",
                    versions: ProtocolVersion.spoken))
        }
        guard let chosen = ProtocolVersion.common(ProtocolVersion.spoken, hello.versions) else {
            return end(
                Refusal(
                    .version, "no protocol version in common", versions: ProtocolVersion.spoken))
        }
        send(
            .greeting(
                Greeting(
                    versions: ProtocolVersion.spoken, chosen: chosen, clock: answer(hello.sent, at: now),
                    program: program)))
        switch (standing, hello.purpose) {
        case (.revoked, _): end(Refusal(.revoked, "this device was revoked"))
        case (_, .enrol): state = .awaitingEnrolment
        case (.unknown, _): end(Refusal(.unknownDevice, "this device is not enrolled here"))
        case (.member(let group), _): enter(group)
        }
    }

    mutating func enter(_ group: GroupID) {
        state = .entering
        effects.append(.enter(group))
    }

    /// Handles a message in the state `live`.
    private mutating func handleLive(_ message: Message, at now: ServerTime) throws(WireError) {
        switch message {
        case .upload(let segment):
            exchange.uploads.append(segment)
            effects.append(.merge(segment))
        case .want(let replica, let after):
            exchange.events.restart(replica, after: after)
            // The client may no longer have the events of this replica that it has uploaded.
            exchange.uploads.recordWant(replica)
        case .chainsAsked(let replica, let seqs):
            exchange.chainsAsked += 1
            effects.append(.chains(replica, at: seqs))
        case .request(let number, let request):
            exchange.requests.append(request)
            effects.append(.ask(number, request))
        default: try answerPing(message, at: now)
        }
    }

    /// Answers a ping. Throws if the message isn't a ping.
    private mutating func answerPing(_ message: Message, at now: ServerTime) throws(WireError) {
        guard case .ping(let sent) = message else { throw .unexpected(message.type) }
        send(.pong(answer(sent, at: now)))
        rateLimiters.pings.answered(at: now.steady, limit: limits.pings)
    }

    private func answer(_ asked: SteadyInstant, at now: ServerTime) -> ClockAnswer {
        ClockAnswer(
            asked: asked, served: now.shared.map { ClockAnswer.Served(received: $0, sent: $0) })
    }
}

extension Refusal {
    /// Creates the refusal to send for bytes that could not be read.
    init(_ error: WireError) {
        switch error {
        case .frameTooLarge(let length): self.init(.frameTooLarge, "a frame of \(length) bytes is too long")
        case .emptyFrame: self.init(.malformed, "an empty frame")
        case .unknownType(let type): self.init(.malformed, "a message of unknown type \(type)")
        case .malformed(let type, let failure): self.init(.malformed, "a malformed \(type): \(failure)")
        case .unexpected(let type): self.init(.malformed, "an unexpected \(type)")
        }
    }
}
