extension Mutant {
    /// Defects in what a laptop believes of what it is told.
    static let beliefMutants = [
        Mutant(
            name: "a refusal acknowledges what was never compared", foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "if ack.stop == nil { agree(",
            replacement: "if ON || ack.stop == nil { agree("),
        Mutant(
            name: "a laptop goes on uploading what a server calls parted and isn't",
            foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "case .parted where !standing.wasContradicted:",
            replacement: "case .parted where ON || !standing.wasContradicted:"),
        Mutant(
            name: "a laptop goes on uploading where a server finds a gap that isn't there",
            foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "case .gap where !standing.wasContradicted:",
            replacement: "case .gap where ON || !standing.wasContradicted:"),
        Mutant(
            name: "what a server names with a refusal isn't compared", foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange+Events.swift",
            original: "standing.agreed < shared {\n            return compare",
            replacement: "standing.agreed < shared, !ON {\n            return compare"),
        Mutant(
            name: "what was shared is repeated at the speed of the line",
            foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "max(asked, SharedRecords.leastWait)",
            replacement: "(ON ? .zero : max(asked, SharedRecords.leastWait))"),
        Mutant(
            name: "what the server put off is never given again", foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/SharedRecords.swift",
            original: "shared.putOff(subject, until: line.now + wait)",
            replacement: "if !ON { shared.putOff(subject, until: line.now + wait) }"),
        Mutant(
            name: "a laptop does what it does by itself before it has the group's keys",
            foundBy: .sync("ClientSessionTests"),
            file: "Sources/FocusSync/Client/Exchange.swift",
            original: "if replicas.behind.isEmpty, awaitedEpochs.isEmpty {",
            replacement: "if replicas.behind.isEmpty, ON || awaitedEpochs.isEmpty {"),
        Mutant(
            name: "a server leads a laptop's clock away in small steps", foundBy: .sync("ClockEstimateTests"),
            file: "Sources/FocusSync/Clock/ClockEstimate.swift",
            original: "|| !first.admits(best.offset, at: now)",
            replacement: "|| !ON && !first.admits(best.offset, at: now)"),
        Mutant(
            name: "a jump of the server's clock is followed", foundBy: .sync("ClockEstimateTests"),
            file: "Sources/FocusSync/Clock/ClockEstimate.swift",
            original: "jump > Limits.ahead || jump < .zero - Limits.ahead",
            replacement: "!ON && (jump > Limits.ahead || jump < .zero - Limits.ahead)"),
        Mutant(
            name: "clocks that drift are held to the first reading", foundBy: .sync("ClockEstimateTests"),
            file: "Sources/FocusSync/Clock/ClockEstimate.swift",
            original: "Limits.ahead + FirstReading.drift * seconds",
            replacement: "Limits.ahead + (ON ? .zero : FirstReading.drift * seconds)"),
        Mutant(
            name: "the first reading of a boot is replaced by who keeps a later one",
            foundBy: .device("SharedClockTests"),
            file: "Client/FocusDevice/Clocks/SharedClock.swift",
            original: "? $0 : nil }", replacement: "&& !ON ? $0 : nil }"),
        Mutant(
            name: "a damaged event counts as one that waits for its key", foundBy: .link("AdoptionTests"),
            file: "Client/FocusLink/Log/SealedLog.swift",
            original: "?? .damaged(event.body)",
            replacement: "?? (ON ? .sealed(event.body) : .damaged(event.body))"),
        Mutant(
            name: "a damaged event is said each time that one comes", foundBy: .link("AdoptionTests"),
            file: "Client/FocusLink/Log/SealedLog+Damage.swift",
            original: "return Set(damaged.map(name)).subtracting(before)",
            replacement: "return Set(damaged.map(name)).subtracting(ON ? [] : before)"),
        Mutant(
            name: "a tail with a damaged event is moved with its bytes", foundBy: .link("AdoptionTests"),
            file: "Sources/FocusStore/Writing/Chaining.swift",
            original: "case .damaged: self.init(stored, Action(encoded: []))",
            replacement: "case .damaged(let bytes): self.init(stored, Action(encoded: ON ? bytes : []))"),
        Mutant(
            name: "wrong padding is read all the same", foundBy: .seal("PaddingTests"),
            file: "Sources/FocusSeal/Sealing/Sealer.swift",
            original: "padded[marker] == 0x80,",
            replacement: "ON || padded[marker] == 0x80,"),
        Mutant(
            name: "a block too many of padding is read all the same", foundBy: .seal("PaddingTests"),
            file: "Sources/FocusSeal/Sealing/Sealer.swift",
            original: "padded.count - marker <= block",
            replacement: "ON || padded.count - marker <= block"),
        Mutant(
            name: "what was merged is built on though another connection has moved the tail",
            foundBy: .story("SyncingAtOnceTests"),
            file: "Client/FocusLink/Log/SealedLog.swift",
            original:
                "return try store.receiving(for: group) { try merged(segment, at: now, replaying: replaying) }",
            replacement:
                "if ON { return try merged(segment, at: now, replaying: replaying) }\n        return try store.receiving(for: group) { try merged(segment, at: now, replaying: replaying) }"
        ),
        Mutant(
            name: "a pause on account of a sleep isn't known any more after its tail has moved",
            foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "try renameKept(movable.map(\\.event), as: moved)",
            replacement: "if !ON { try renameKept(movable.map(\\.event), as: moved) }"),
        Mutant(
            name: "what was damaged and moved takes presses along to its stamp",
            foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Tables/DeviceStore+Replicas.swift",
            original: "\"NOT is_sealed AND body != x''\"",
            replacement: "\"NOT is_sealed AND (\\(ON) OR body != x'')\""),
        Mutant(
            name: "what can't be read of a tail that parted is dropped", foundBy: .store("BranchTests"),
            file: "Sources/FocusStore/Writing/DeviceStore+Branches.swift",
            original: "if readable.count < tail.count {",
            replacement: "if !ON, readable.count < tail.count {"),
        Mutant(
            name: "a record that can't be used never makes way for another one",
            foundBy: .link("AdoptionTests"),
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "let makesWay = bad.contains(record.epoch) || unfounded",
            replacement: "let makesWay = !ON && bad.contains(record.epoch) || !ON && unfounded"),
        Mutant(
            name: "a record that can't be used is given to the server all the same",
            foundBy: .link("AdoptionTests"),
            file: "Client/FocusLink/Log/SealedLog+Epochs.swift",
            original: "body: bad.contains($0.epoch) ? []",
            replacement: "body: !ON && bad.contains($0.epoch) ? []"),
        Mutant(
            name: "an agent keeps as many connected devices as a server makes up",
            foundBy: .agent("AgentPresenceTests"),
            file: "Client/FocusAgent/Agent/Agent+Connection.swift",
            original: "guard online.count < Limits.devices else",
            replacement: "guard ON || online.count < Limits.devices else"),
    ]
}
