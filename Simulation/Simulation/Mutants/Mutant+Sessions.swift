extension Mutant {
    /// Defects in what the server's session holds and does for a client, and the client's for a server that has forgotten.
    static let sessionMutants = [
        Mutant(
            name: "a restored server is given all that it lacks in one go", foundBy: .sync("SharingTests"),
            file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "while line.unsent <= Limits.unsent, let",
            replacement: "while ON || line.unsent <= Limits.unsent, let"),
        Mutant(
            name: "what the server has taken is given again along with what it put off",
            foundBy: .sync("SharingTests"),
            file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "waiting = epochsLater.union(waiting)",
            replacement: "waiting = (ON ? Set(epochs.indices) : epochsLater).union(waiting)"),
        Mutant(
            name: "events go to a server before the records of their epochs", foundBy: .sync("SharingTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "while !shared.isGiving,",
            replacement: "while ON || !shared.isGiving,"),
        Mutant(
            name: "a session isn't told that what it sent has gone out", foundBy: .link("RestoringTests"),
            file: "Client/FocusLink/Driver/SyncDriver+Connection.swift",
            original: "return driver.session.unsent(",
            replacement: "return ON ? [] : driver.session.unsent("),
        Mutant(
            name: "pings are answered however many come", foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "if count >= limit { restsUntil",
            replacement: "if !ON, count >= limit { restsUntil"),
        Mutant(
            name: "who has pinged too often is never read from again",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "if now - began >= Limits.pingWindow {",
            replacement: "if !ON, now - began >= Limits.pingWindow {"),
        Mutant(
            name: "as many uploads wait at the writer as come, where they are small",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerExchange.swift",
            original: "uploads.count < paces.uploads.atOnce(of: Limits.uploads)",
            replacement: "(ON || uploads.count < paces.uploads.atOnce(of: Limits.uploads))"),
        Mutant(
            name: "as many bytes of uploads wait at the writer as come", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerExchange.swift",
            original: "uploads.bytes <= Limits.merging",
            replacement: "(ON || uploads.bytes <= Limits.merging)"),
        Mutant(
            name: "as many questions wait at the reader as come", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerExchange.swift",
            original: "&& chainsAsked < Limits.questions",
            replacement: "&& (ON || chainsAsked < Limits.questions)"),
        Mutant(
            name: "a client wants as many replicas anew at once as it likes",
            foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerExchange.swift",
            original: "&& events.wanted.count < Limits.questions",
            replacement: "&& (ON || events.wanted.count < Limits.questions)"),
        Mutant(
            name: "a roster goes to the writer in one piece", foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "roster.prefix(Limits.rosterPiece)",
            replacement: "roster.prefix(ON ? roster.count : Limits.rosterPiece)"),
        Mutant(
            name: "as many requests wait at the writer as come", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "asked.count < count && bytes",
            replacement: "(ON || asked.count < count) && bytes"),
        Mutant(
            name: "requests wait at the writer however long they are",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "&& bytes <= Limits.merging",
            replacement: "&& (ON || bytes <= Limits.merging)"),
        Mutant(
            name: "records of epochs are read past what the client takes",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "if isLive, isWritable, let asked = exchange.epochs",
            replacement: "if isLive, ON || isWritable, let asked = exchange.epochs"),
        Mutant(
            name: "all records of epochs are read at once", foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/OutgoingNews.swift",
            original: "lacking.prefix(Limits.epochPiece)",
            replacement: "lacking.prefix(ON ? lacking.count : Limits.epochPiece)"),
        Mutant(
            name: "new epochs are sent past what the client takes",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession+Results.swift",
            original: "if mayBeSent, isWritable {",
            replacement: "if mayBeSent, ON || isWritable {"),
        Mutant(
            name: "news of devices are sent past what the client takes",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "while isWritable, let message = exchange.news.next()",
            replacement: "while ON || isWritable, let message = exchange.news.next()"),
        Mutant(
            name: "who goes on uploading too much is listened to like everybody",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "hasty = heard < named ?",
            replacement: "hasty = heard < named && !ON ?"),
        Mutant(
            name: "who goes on uploading too much has as many uploads at the writer",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "? count : 1 }",
            replacement: "? count : ON ? count : 1 }"),
        Mutant(
            name: "who waits as it was told is kept waiting", foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/SessionLimits.swift",
            original: "if hasty >= Limits.hastyRequests {",
            replacement: "if ON || hasty >= Limits.hastyRequests {"),
        Mutant(
            name: "who goes on asking for other things too often is listened to like everybody",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession+Results.swift",
            original: "if refusal.code == .rate, case",
            replacement: "if refusal.code == .rate, !ON, case"),
        Mutant(
            name: "all that a client says is looked at in one turn",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "guard turnLeft > 0 || !decoder.hasNext else {",
            replacement: "guard ON || turnLeft > 0 || !decoder.hasNext else {"),
        Mutant(
            name: "a session reads on while it waits for its turn",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "isWritable && !awaitsTurn",
            replacement: "isWritable && (ON || !awaitsTurn)"),
        Mutant(
            name: "a frame that isn't whole isn't counted", foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "decoder.heldBytes + exchange.heldBytes",
            replacement: "(ON ? 0 : decoder.heldBytes) + exchange.heldBytes"),
        Mutant(
            name: "what a session held stays as long as its goodbye takes",
            foundBy: .sync("ServerSessionBoundsTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "exchange = ServerExchange()\n    }",
            replacement: "if !ON { exchange = ServerExchange() }\n    }"),
        Mutant(
            name: "a stranger sends long frames", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "FrameDecoder(limit: limits.frameBeforeKnown)",
            replacement: "FrameDecoder(limit: ON ? limits.frame : limits.frameBeforeKnown)"),
        Mutant(
            name: "who says nothing stays", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "if now.steady >= silence {",
            replacement: "if !ON, now.steady >= silence {"),
        Mutant(
            name: "a stranger that says nothing stays", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "opened + limits.opening",
            replacement: "ON ? .distantFuture : opened + limits.opening"),
        Mutant(
            name: "a revoked device may ask to be let in", foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession+Messages.swift",
            original: "switch (standing, hello.purpose) {",
            replacement:
                "switch (ON && hello.purpose == .enrol ? Standing.unknown : standing, hello.purpose) {"),
        Mutant(
            name: "a member's first frames are as short as a stranger's",
            foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession.swift",
            original: "if case .member = standing {",
            replacement: "if !ON, case .member = standing {"),
        Mutant(
            name: "who was let in sends short frames for as long as it is connected",
            foundBy: .sync("ServerSessionTests"),
            file: "Sources/FocusSync/Server/ServerSession+Results.swift",
            original: "decoder.limit = limits.frame\n",
            replacement: "if !ON { decoder.limit = limits.frame }\n"),
        Mutant(
            name: "a key is taken out in time that goes by how many there are",
            foundBy: .sync("OrderedKeysTests"),
            file: "Sources/FocusSync/Queues.swift",
            original: "guard slots.count > 2 * places.count + 8 else",
            replacement: "guard ON || slots.count > 2 * places.count + 8 else"),
        Mutant(
            name: "a frame of any length is read", foundBy: .sync("FrameDecoderTests"),
            file: "Sources/FocusSync/Wire/Frame.swift",
            original: "guard length <= limit else",
            replacement: "guard ON || length <= limit else"),
        Mutant(
            name: "a frame that comes little by little takes twice the memory",
            foundBy: .sync("FrameDecoderTests"),
            file: "Sources/FocusSync/Wire/Frame.swift",
            original: "max(needed, min(2 * needed,",
            replacement: "max(needed, min(ON ? 4 * needed + 4_000_000 : 2 * needed,"),
    ]
}
