import FocusCore
import FocusServerStore
import FocusServing
import FocusSync
import FocusWriter

// The messages that the server receives and sends.
extension ServerWatch {
    // MARK: - Received messages

    /// Records bytes that arrive at the server.
    func receives(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let seen = self[connection] else { return }
        if world.host == nil {
            let rest = max(seen.pace.refusedUploads.restsUntil, seen.pace.refusedOthers.restsUntil)
            if rest > 0 { world.reach.note(.limit, "rests") }
            require(
                now >= rest || seen.isOver ? nil : "\(rest - now) µs too early",
                "who asks again before the time that it was told isn't read from")
        }
        seen.lastHeard = now
        seen.receivedBytes += bytes.count
        let messages = seen.received.read(bytes)
        hasSaidSomething = !messages.isEmpty
        if turns.isAwaited { world.reach.note(.limit, "comes while others wait") }
        for message in messages { note(message, from: seen) }
        let limit = crowds.isStranger(seen) ? limits.session.frameBeforeKnown : limits.session.frame
        if seen.received.longest > limit { seen.tooLongSince = seen.tooLongSince ?? now }
    }

    private func note(_ message: SeenMessage, from seen: SeenConnection) {
        switch message.type {
        case .hello?, .ping?, .upload?, .chainsAsked?: if !seen.isOver { seen.waiting.append(message) }
        default: break
        }
        switch message.message {
        case .hello(let hello): seen.hello = seen.hello ?? hello
        case .enrol: seen.hasAskedIn = true
        case .have: seen.takenSince = seen.takenSince ?? now
        case .roster(let roster): for entry in roster { crowds.named.insert(entry.device) }
        default: if message.type == .successor { seen.hasNamedSuccessors = true }
        }
        guard let segment = message.segment, let group = seen.group, !seen.isOver else { return }
        news.uploads(segment, of: group, on: seen.id)
    }

    // MARK: - Sent messages

    /// Checks bytes that the server sends.
    func sends(_ bytes: [UInt8], on connection: ConnectionID) {
        guard let seen = self[connection], !seen.isOver else { return }
        let isStuck = seen.line.unsentBytes > Limits.unsent && world.host == nil
        var revoked: [Digest] = []
        for message in seen.sent.read(bytes) {
            if isStuck { lookAtUnasked(message, to: seen) }
            if case .revoked(let device)? = message.message {
                revoked.append(device)
            } else {
                says(message, to: seen)
            }
        }
        guard !revoked.isEmpty else { return }
        let isBatch = if case .outcomes = call { true } else { false }
        require(
            revocations.tells(seen, revoked, ofBatch: isBatch),
            "a group's connections alone are told whom it shut out, all at once")
    }

    /// Checks that the server sends only answers on a connection with more than `Limits.unsent` unsent bytes.
    private func lookAtUnasked(_ message: SeenMessage, to seen: SeenConnection) {
        let isAnswer = if case .answers = call { true } else { false }
        let isUnasked =
            switch message.type {
            case .presence?: true
            case .push?: !isAnswer
            case .epoch?: !isAnswer && !seen.hasNamedSuccessors
            default: false
            }
        require(
            isUnasked ? "\(seen.line.unsentBytes) bytes are unsent" : nil,
            "nothing more is produced for who doesn't take what there is")
    }

    private func says(_ message: SeenMessage, to seen: SeenConnection) {
        switch message.message {
        case .pong:
            seen.pace.notePong(at: now)
            looks(at: .ping, on: seen)
        case .greeting: looks(at: .hello, on: seen)
        case .enrolled: isLetIn(seen)
        case .welcome(let welcome): welcomes(welcome, seen)
        case .ack(let ack): acknowledges(ack, to: seen)
        case .refused(_, let refusal):
            guard refusal.code == .rate, case .after(let after) = refusal.retry else { return }
            seen.pace.refusedOthers.note(after, lastHeard: seen.lastHeard)
        case .error(let refusal): refuses(refusal, seen)
        default: if message.type == .push { pushes(message, to: seen) }
        }
    }

    private func pushes(_ message: SeenMessage, to seen: SeenConnection) {
        passesOn(message.bytes / 1_024, isNews: true)
        guard let segment = message.segment, let group = seen.group,
            let early = news.early(segment, of: group)
        else { return }
        // An event that the reader has read is on the disk. The writer may not have reported its commit yet.
        if case .answers = call { return world.reach.note(.round, "read before it is acknowledged") }
        // This server may push at once an event that another server stored, or that it stored itself in an
        // unconfirmed commit: it learns of both as news.
        if let database = world.database {
            let keeper = database.keeper(of: segment.replica, segment.seqs.upperBound)
            if keeper?.server != number || keeper?.isTold != true { return }
        }
        require("\(early)", "who uploaded is told before the others are")
    }

    private func welcomes(_ welcome: Welcome, _ seen: SeenConnection) {
        seen.group = welcome.group
        require(revocations.welcomes(seen, to: welcome.group), "who was shut out isn't welcomed")
        crowds.named.insert(seen.key)
        for entry in welcome.roster { crowds.named.insert(entry.device) }
        hasGrown = true
        passesOn(
            welcome.vector.heads.count + welcome.roster.count + welcome.epochs.count + welcome.presence.count,
            isNews: false)
    }

    private func passesOn(_ work: Int, isNews: Bool) {
        // Committed events are pushed at once if no connection waits for its turn.
        let isOutcomes = if case .outcomes = call { true } else { false }
        guard isTurns || isOutcomes && isNews && !isStopping else { return }
        require(turns.does(work), "what is done in turns is done a little at a time")
    }

    private func acknowledges(_ ack: Ack, to seen: SeenConnection) {
        seen.pace.uploads = max(0, seen.pace.uploads - 1)
        news.acknowledges(ack, on: seen.id)
        if ack.stop?.code == .rate, let after = ack.stop?.after {
            seen.pace.refusedUploads.note(after, lastHeard: seen.lastHeard)
        } else {
            seen.pace.refusedUploads = SeenRefusals()
        }
    }

    private func looks(at type: MessageType, on seen: SeenConnection) {
        let isOwn = talking == seen.id
        let trouble = turns.looks(at: type, &seen.waiting, isOwn: isOwn, isTurns: isTurns)
        require(trouble, "what is done in turns is done a little at a time")
    }

    /// Checks that the server had a reason to end a connection with this refusal.
    private func refuses(_ refusal: Refusal, _ seen: SeenConnection) {
        defer { over(seen) }
        switch refusal.code {
        case .shuttingDown:
            leaving = leaving ?? now
            if seen.line.unsentBytes > 0, !(seen.line is ServerEnd) {
                world.reach.note(.limit, "takes no goodbye")
            }
            guard case .after(let after) = refusal.retry else { return }
            require(
                comebacks.insert(after).inserted ? nil : "\(after.inMilliseconds) ms twice",
                "a server that stops has everybody come back at another time")
        case .frameTooLarge:
            let limit = seen.isKnown ? limits.session.frame : limits.session.frameBeforeKnown
            require(
                seen.received.longest > limit ? nil : "the longest has \(seen.received.longest) bytes",
                "a frame as long as it may be is taken")
        case .rate, .busy: makesRoom(refusal.code, seen)
        default: break
        }
    }

    private func makesRoom(_ code: RefusalCode, _ seen: SeenConnection) {
        if case .arrival(let newcomer) = call, code == .rate || newcomer == seen.id {
            return justify(seen, for: newcomer)
        }
        if code == .busy, seen.group != nil {
            seen.isEndedStuck = seen.line.unsentBytes > Limits.unsent
            world.reach.note(.limit, seen.isEndedStuck ? "memory of who takes nothing" : "memory")
            require(memory.grievance(of: seen, open), "only who holds too much is ended for it")
        }
        if code == .rate, seen.id == talking, seen.group == nil {
            world.reach.note(.limit, "attempts to be let in")
            require(
                enrolments.isCrowded(seen.block, at: now) ? nil : "\(seen.line.peerDescription)",
                "who seldom asks to be let in may ask")
        }
    }

    // MARK: - Requests to the writer and the reader

    /// Checks a request that the network's thread hands to the writer.
    func leaves(_ request: WriterRequest) {
        switch request {
        case .enrol(_, _, let connection):
            guard let seen = self[connection] else { return }
            require(
                enrolments.note(seen.block, at: now),
                "from one address devices ask to be let in only so often")
        case .prove(_, _, let connection): self[connection]?.takenSince = nil
        case .member(let request):
            guard let seen = self[request.connection] else { return }
            guard case .merge = request.asked else {
                seen.pace.others += 1
                return
            }
            require(
                seen.pace.refusedUploads.isHasty && seen.pace.uploads > 0
                    ? "\(seen.pace.uploads) at the writer" : nil,
                "who uploads again before the time that it was told has one upload at the writer")
            seen.pace.uploads += 1
            looks(at: .upload, on: seen)
        default: break
        }
    }

    /// Checks a request that the network's thread hands to the reader.
    func leaves(_ request: ReaderRequest) {
        switch request {
        case .events(_, _, _, _, let connection), .epochs(_, _, _, let connection):
            self[connection]?.pace.readings += 1
        case .chains(_, _, _, let connection):
            guard let seen = self[connection] else { return }
            seen.pace.readings += 1
            looks(at: .chainsAsked, on: seen)
        case .ended(let connection): ended.insert(connection)
        case .groups, .orders, .taken: break
        }
    }

    /// Records outcomes that the network's thread is about to process.
    func hears(_ outcomes: [WriterOutcome]) {
        revocations.begin(outcomes)
        for outcome in outcomes {
            switch outcome {
            case .answered(.handled, let connection): self[connection]?.pace.others -= 1
            case .device(let device): note([device])
            case .reloaded(let devices, _), .roster(let devices): note(devices)
            default: break
            }
        }
    }

    /// Records answers that the network's thread is about to process.
    func hears(_ answers: [ReaderAnswer]) {
        for answer in answers {
            switch answer {
            case .events(_, _, _, let connection), .epochs(_, _, let connection),
                .chains(_, _, let connection):
                self[connection]?.pace.readings -= 1
            case .groups, .failed, .orders: break
            }
        }
    }
}
