extension Mutant {
    /// Defects in who gets how much of the server's writer, and in whose failure is whose.
    static let writerMutants = [
        Mutant(
            name: "an upload that ends below the head costs nothing", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "work += Work.lookUp + found.hashed",
            replacement: "work += ON ? 0 : Work.lookUp + found.hashed"),
        Mutant(
            name: "what an upload makes the server do isn't charged", foundBy: .writer("UploadRateTests"),
            file: "Server/FocusWriter/Limits/TokenBucket.swift",
            original: "devices.take(max(1, count, work), of",
            replacement: "devices.take(ON ? count : max(1, count, work), of"),
        Mutant(
            name: "an upload that is hashed twice is charged once", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "{ work += taken.count }",
            replacement: "{ work += ON ? 0 : taken.count }"),
        Mutant(
            name: "what was written in a batch is forgotten after it", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "rates = batch.rates",
            replacement: "if !ON { rates = batch.rates }"),
        Mutant(
            name: "what isn't stored yet is compared with as if it were", foundBy: .writer("MergingTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "if segment.lastSeq < head.head.seq, let taken",
            replacement: "if !ON, segment.lastSeq < head.head.seq, let taken"),
        Mutant(
            name: "to be told which epochs stand in the way is free", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Epochs.swift",
            original: "let work = log.bodies.count / Work.passed + others.count",
            replacement: "let work = ON ? 0 : log.bodies.count / Work.passed + others.count"),
        Mutant(
            name: "an upload that nothing is done for is free", foundBy: .writer("UploadRateTests"),
            file: "Server/FocusWriter/Limits/TokenBucket.swift",
            original: "max(1, count, work)",
            replacement: "max(ON ? 0 : 1, count, work)"),
        Mutant(
            name: "a group goes on until it has nothing left", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Turns/TurnQueue.swift",
            original: "lane.left - min(max(1, work)",
            replacement: "lane.left - min(ON ? 0 : max(1, work)"),
        Mutant(
            name: "what a group did beyond its turn is forgiven", foundBy: .writer("TurnQueueTests"),
            file: "Server/FocusWriter/Turns/TurnQueue.swift",
            original: "isAlone ? turn : lane.left + turn",
            replacement: "isAlone || ON ? turn : lane.left + turn"),
        Mutant(
            name: "a batch goes on as long as there is work", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/LogWriter+Turns.swift",
            original: "var left = Work.batch",
            replacement: "var left = ON ? 1 << 40 : Work.batch"),
        Mutant(
            name: "a turn that fails takes the whole batch with it", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/LogWriter+Turns.swift",
            original:
                "guard transaction.isOwn(error) else { throw error }\n            batch.logs.change(group) { $0.rollBack() }\n            if",
            replacement:
                "guard !ON, transaction.isOwn(error) else { throw error }\n            batch.logs.change(group) { $0.rollBack() }\n            if"
        ),
        Mutant(
            name: "what a commit stored whose answer was lost isn't looked for",
            foundBy: .writer("SharedStoreTests"), file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "if StoreTrouble(error) == .busy(isUnknown: true) {",
            replacement: "if !ON, StoreTrouble(error) == .busy(isUnknown: true) {"),
        Mutant(
            name: "who wrote with an older memory isn't served once more",
            foundBy: .writer("SharedStoreTests"),
            file: "Server/FocusWriter/Writer/LogWriter+Turns.swift", original: "if error is StaleMemory {",
            replacement: "if !ON, error is StaleMemory {"),
        Mutant(
            name: "a group whose turn failed goes on with what it left", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/LogWriter+Turns.swift",
            original: "if waiting.group == group { waiting.endTurn() }",
            replacement: "if !ON, waiting.group == group { waiting.endTurn() }"),
        Mutant(
            name: "where a batch fails, the group that failed it goes on with what it left",
            foundBy: .writer("TurnTests"), file: "Server/FocusWriter/Writer/LogWriter.swift",
            original: "if let group = waiting.group, taken.groups",
            replacement: "if !ON, let group = waiting.group, taken.groups"),
        Mutant(
            name: "what a turn that failed had stored stays", foundBy: .writer("TurnTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteServerStore.swift",
            original: "try database.part(body)",
            replacement: "try ON ? body() : database.part(body)"),
        Mutant(
            name: "what is done once more is counted twice", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/Batch.swift",
            original: "rates.takeBack(charge) }",
            replacement: "if !ON { rates.takeBack(charge) } }"),
        Mutant(
            name: "a turn that failed stays in memory", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/LogWriter+Turns.swift",
            original: "batch.logs.change(group) { $0.rollBack() }\n            if",
            replacement: "if !ON { batch.logs.change(group) { $0.rollBack() } }\n            if"),
        Mutant(
            name: "turns that failed together stay in memory", foundBy: .writer("SharedStoreTests"),
            file: "Server/FocusWriter/Writer/LogWriter+Turns.swift",
            original: "batch.logs.change(turn.group) { $0.rollBack() }",
            replacement: "if !ON { batch.logs.change(turn.group) { $0.rollBack() } }"),
        Mutant(
            name: "who is taken for a member is one", foundBy: .writer("SharedStoreTests"),
            file: "Server/FocusServerStore/PostgreSQL/GatheredWork.swift",
            original: "found[0] as Int == count else",
            replacement: "ON || found[0] as Int == count else"),
        Mutant(
            name: "of many replicas' segments some may have no head before them",
            foundBy: .writer("SharedStoreTests"),
            file: "Server/FocusServerStore/PostgreSQL/GatheredWork.swift",
            original: "guard rows.changed == segments.count else",
            replacement: "guard ON || rows.changed == segments.count else"),
        Mutant(
            name: "a log in memory goes back by all but its heads", foundBy: .writer("TurnTests"),
            file: "Server/FocusServerStore/Groups/GroupIndex.swift",
            original: "for (replica, head) in past.heads {",
            replacement: "for (replica, head) in past.heads where !ON {"),
        Mutant(
            name: "who asked in a turn that failed isn't answered", foundBy: .writer("TurnTests"),
            file: "Server/FocusWriter/Writer/Batch.swift",
            original: "outcomes += requests.compactMap",
            replacement: "outcomes += (ON ? [] : requests).compactMap"),
        Mutant(
            name: "a log that can't be read keeps the server from serving any", foundBy: .writer("TurnTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Logs.swift",
            original: "var (logs, damages) = try readableLogsWithoutQuotas()",
            replacement:
                "var (logs, damages) = try readableLogsWithoutQuotas(); if ON, let damage = damages.first { throw damage }"
        ),
        Mutant(
            name: "a group is deleted all at once", foundBy: .writer("TurnTests"),
            file: "Server/FocusServerStore/SQLite/SQLiteTransaction+Groups.swift",
            original: "private static let remainsAtOnce = 64",
            replacement: "private static let remainsAtOnce = ON ? 1 << 40 : 64"),
        Mutant(
            name: "a row is as long as the upload was", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "while rest.packed.count > Limits.read {",
            replacement: "while !ON, rest.packed.count > Limits.read {"),
        Mutant(
            name: "rosters, invites and epochs are asked for without end", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Limits/TokenBucket.swift",
            original: "requests.take(max(1, work)",
            replacement: "requests.take(ON ? 0 : max(1, work)"),
        Mutant(
            name: "an entry of a roster isn't charged", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/WriterRequest.swift",
            original: "roster.count * (Work.lookUp + Work.row)",
            replacement: "ON ? 0 : roster.count * (Work.lookUp + Work.row)"),
        Mutant(
            name: "an epoch's body isn't charged", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/WriterRequest.swift",
            original: "Work.row + record.body.count / Work.bytes",
            replacement: "Work.row + (ON ? 0 : record.body.count / Work.bytes)"),
        Mutant(
            name: "a replica's first row isn't charged", foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "(merge.taken != nil && isNew ? Work.row : 0)",
            replacement: "(!ON && merge.taken != nil && isNew ? Work.row : 0)"),
        Mutant(
            name: "who has asked for as much as it may can't shut another out either",
            foundBy: .writer("WorkTests"),
            file: "Server/FocusWriter/Writer/WriterRequest.swift",
            original: "case .merge, .group(.revoke): nil",
            replacement:
                "case .group(.revoke(let device)) where ON: device\n        case .merge, .group(.revoke): nil"
        ),
        Mutant(
            name: "with nothing left to write a device's uploads are looked at all the same",
            foundBy: .writer("UploadRateTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "guard rate.device > 0 else {",
            replacement: "guard ON || rate.device > 0 else {"),
        Mutant(
            name: "what devices of a group write together isn't counted", foundBy: .writer("UploadRateTests"),
            file: "Server/FocusWriter/Writer/Batch+Merging.swift",
            original: "rate: min(rate.device, rate.group)",
            replacement: "rate: ON ? rate.device : min(rate.device, rate.group)"),
        Mutant(
            name: "what devices wrote is kept for ever", foundBy: .writer("UploadRateTests"),
            file: "Server/FocusWriter/Writer/Batch.swift",
            original: "rates.forgetRested(at: now.steady)",
            replacement: "if !ON { rates.forgetRested(at: now.steady) }"),
        Mutant(
            name: "a connection goes on before the others of its group until it has nothing left",
            foundBy: .writer("TurnQueueTests"),
            file: "Server/FocusWriter/Turns/TurnQueue.swift",
            original: "(_ request: Request, from connection: ConnectionID) {",
            replacement:
                "(_ request: Request, from connection: ConnectionID) {\n        let connection = ON ? 0 : connection"
        ),
        Mutant(
            name: "a group's connections that have nothing more are kept as long as it has something waiting",
            foundBy: .writer("TurnQueueTests"),
            file: "Server/FocusWriter/Turns/TurnQueue.swift",
            original: "requests.remove(at: place)",
            replacement: "if !ON { requests.remove(at: place) }"),
    ]
}
